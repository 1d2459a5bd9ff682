#include <algorithm>
#include <charconv>

#include <halfopen/tla/resolver.hpp>

/// Parts of definitions: Def!2, Def!<<, Def!label, Def!(x), Def!LetName. A part becomes a definition of its
/// own, whose parameters are those of Def and the names that are bound on the way.
namespace halfopen::tla {
namespace {

/// The operand that a number in a path selects; null if there is none.
expr const* operand(expr const& e, std::size_t which) {
  if (which == 0) return nullptr;
  if (!e.bounds.empty()) return which <= e.bounds.size() ? e.bounds[which - 1].set : nullptr;
  return which <= e.args.size() ? e.args[which - 1] : nullptr;
}

}  // namespace

expr const* resolver::part_of(target const& t, syntax_node const& n) {
  part p;
  p.at = t.what.def == nullptr ? nullptr : t.what.def->body;
  std::string name{t.segment->text};
  for (auto i = t.next; i < n.kids.size(); ++i) {
    auto const& segment = *n.kids[i];
    name += "!" + std::string{segment.text};
    if (p.at != nullptr && select(p, segment)) continue;
    report(range(segment), "tla.undefined", name + ", which is no part of that definition",
           "the number of an operand, << or >>, a label, a LET's name, or (x) for a bound name");
    return invalid(n);
  }
  auto const& whole = *t.what.def;
  auto& d = s_.definitions.emplace_back();
  d.name = s_.keep(std::move(name));
  d.owner = whole.owner;
  d.outer = whole.outer;
  d.range = d.name_range = p.at->range;
  d.params = whole.params;
  d.params.insert(d.params.end(), p.params.begin(), p.params.end());
  d.body = p.at;
  d.frame_size = whole.outer == nullptr ? whole.frame_size : 0;
  if (!p.lets.empty()) {
    auto& wrapped = make(expr_kind::let, n);
    wrapped.lets = p.lets;
    wrapped.args = {p.at};
    wrapped.range = p.at->range;
    d.body = &wrapped;
  }
  auto& e = make(expr_kind::apply, n);
  e.def = &d;
  e.through = t.what.through;
  auto args = t.segment->kids;
  args.insert(args.end(), p.args.begin(), p.args.end());
  auto const params = d.params;
  arguments(e, params, args, d.name, n);
  return &e;
}

bool resolver::select(part& p, syntax_node const& segment) {
  if (segment.text.empty()) return select_body(p, segment);
  if (segment.text == ":") return true;
  std::size_t which = segment.text == "<<" ? 1 : segment.text == ">>" ? 2 : 0;
  if (which == 0 && segment.text[0] >= '0' && segment.text[0] <= '9') {
    std::from_chars(segment.text.data(), segment.text.data() + segment.text.size(), which);
    if (which == 0) return false;
  }
  if (which == 0) return select_let(p, segment) || select_label(p, segment);
  auto const* found = operand(*p.at, which);
  if (found != nullptr) p.at = found;
  return found != nullptr;
}

/// `!(a)` puts a for the name that the expression binds.
bool resolver::select_body(part& p, syntax_node const& segment) {
  if (p.at->bounds.empty() || p.at->args.empty()) return false;
  std::size_t names = 0;
  for (auto const& b : p.at->bounds) {
    p.params.insert(p.params.end(), b.names.begin(), b.names.end());
    names += b.names.size();
  }
  p.args.insert(p.args.end(), segment.kids.begin(), segment.kids.end());
  p.at = p.at->args[0];
  return names == segment.kids.size();
}

bool resolver::select_let(part& p, syntax_node const& segment) {
  if (p.at->kind != expr_kind::let) return false;
  auto const it = std::ranges::find(p.at->lets, segment.text, &definition::name);
  auto const* found = it == p.at->lets.end() ? nullptr : *it;
  auto const lets = p.at->lets;
  if (found == nullptr) {
    p.at = p.at->args[0];
    p.lets.insert(p.lets.end(), lets.begin(), lets.end());
    return select_let(p, segment) || select_label(p, segment);
  }
  p.lets.insert(p.lets.end(), lets.begin(), lets.end());
  p.params.insert(p.params.end(), found->params.begin(), found->params.end());
  p.args.insert(p.args.end(), segment.kids.begin(), segment.kids.end());
  p.at = found->body;
  return true;
}

/// Looks for the label below here, not below other labels. Its parameters are names bound on the way.
bool resolver::select_label(part& p, syntax_node const& segment) {
  if (auto const l = s_.labels.find(p.at); l != s_.labels.end() && l->second.name == segment.text) {
    auto const known = p.params;
    p.params.clear();
    for (auto const name : l->second.params) {
      auto const it = std::ranges::find(known, name, &binder::name);
      if (it == known.end()) return false;
      p.params.push_back(*it);
    }
    p.args.insert(p.args.end(), segment.kids.begin(), segment.kids.end());
    return true;
  }
  auto const here = p;
  for (auto const& b : here.at->bounds) p.params.insert(p.params.end(), b.names.begin(), b.names.end());
  p.lets.insert(p.lets.end(), here.at->lets.begin(), here.at->lets.end());
  auto const below = p;
  for (auto const* k : here.at->args) {
    p = below;
    p.at = k;
    auto const l = s_.labels.find(k);
    bool const other = l != s_.labels.end() && l->second.name != segment.text;
    if (!other && select_label(p, segment)) return true;
  }
  p = here;
  return false;
}

}  // namespace halfopen::tla
