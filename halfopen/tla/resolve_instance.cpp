#include <algorithm>
#include <utility>

#include <halfopen/tla/resolver.hpp>

namespace halfopen::tla {

instance const* resolver::named_instance(syntax_node const& n) {
  auto const outer_name = std::exchange(defining_, n.text);
  auto const scope = local_.size();
  auto& i = make_instance(*n.kids.back(), range(n));
  i.name = n.text;
  i.local = n.local;
  auto const resolve = [&] {
    for (std::size_t k = 0; k + 1 < n.kids.size(); ++k)
      i.params.push_back(bind(*n.kids[k], n.kids[k]->count));
    substitute(i, *n.kids.back());
  };
  if (outer_ == nullptr) {
    i.frame_size = own_frame(nullptr, resolve);
  } else {
    resolve();
  }
  local_.resize(scope);
  entry e;
  e.inst = &i;
  e.local = n.local;
  e.range = name_range(n);
  if (outer_ == nullptr) {
    introduce_in_module(i.name, std::move(e));
  } else {
    introduce(i.name, std::move(e));
  }
  defining_ = outer_name;
  return &i;
}

void resolver::unnamed_instance(syntax_node const& n) {
  auto& i = make_instance(n, range(n));
  i.local = n.local;
  i.frame_size = own_frame(nullptr, [&] { substitute(i, n); });
  auto const* below = i.of == nullptr ? nullptr : s_.scope_of(i.of);
  if (below == nullptr) {
    incomplete_ = true;
    return;
  }
  for (auto const& [name, known] : below->names) {
    if (known.local || (known.def == nullptr && known.inst == nullptr)) continue;
    auto e = known;
    e.local = n.local;
    if (!i.with.empty()) e.through.insert(e.through.begin(), instance_use{&i, {}});
    auto const* here = lookup(name);
    if (here == nullptr) introduce_in_module(name, std::move(e));
    if (here != nullptr && !here->same_thing(known)) already_there(name, *here, i);
  }
}

/// What stands in the module already stays when an unnamed INSTANCE brings in the same name.
void resolver::already_there(std::string_view name, entry const& here, instance const& i) {
  s_.warnings.push_back({file_.path, i.range.begin, severity::warning, "tla.hidden",
                         std::string{name} + " in " + std::string{i.of->name},
                         "a name that has no meaning here yet",
                         "the one at " + to_string(here.range) + " stays"});
}

instance& resolver::make_instance(syntax_node const& n, source_range range) {
  auto& i = s_.instances.emplace_back();
  i.owner = scope_.mod;
  i.outer = outer_;
  i.range = range;
  auto const* inner = lookup(n.text);
  auto* below = inner != nullptr && inner->mod != nullptr ? s_.scope_of(inner->mod)
                                                          : loader_.module(n.text, name_range(n));
  i.of = below == nullptr ? nullptr : below->mod;
  if (outer_ == nullptr) scope_.mod->instances.push_back(&i);
  return i;
}

void resolver::substitute(instance& i, syntax_node const& n) {
  if (i.of == nullptr) return;
  std::vector<declaration const*> wanted = i.of->constants;
  wanted.insert(wanted.end(), i.of->variables.begin(), i.of->variables.end());
  for (auto const* k : n.kids) {
    auto const what = std::ranges::find(wanted, k->text, &declaration::name);
    if (what == wanted.end()) {
      report(name_range(*k), "tla.instance", "a substitution for " + std::string{k->text},
             "a CONSTANT or VARIABLE of " + std::string{i.of->name} + ", each once");
      continue;
    }
    i.with.push_back({*what, substitution_by(**what, *k->kids[0])});
    wanted.erase(what);
  }
  for (auto const* what : wanted) {
    if (auto const* by = implicit_substitution(*what, i)) i.with.push_back({what, by});
  }
}

expr const* resolver::substitution_by(declaration const& what, syntax_node const& by) {
  auto const wanted = "the constant " + std::string{what.name};
  return what.arity == 0 ? expression(by) : operator_argument(by, what.arity, wanted);
}

expr const* resolver::implicit_substitution(declaration const& what, instance const& i) {
  auto const* known = lookup(what.name);
  if (known == nullptr || known->mod != nullptr || known->inst != nullptr) {
    bool const constant = what.what == declaration::sort::constant;
    report(i.range, "tla.instance",
           "INSTANCE " + std::string{i.of->name} + " without a value for its " +
               (constant ? "CONSTANT " : "VARIABLE ") + std::string{what.name},
           std::string{what.name} + " <- expression after WITH, or something named " +
               std::string{what.name} + " here");
    return nullptr;
  }
  syntax_node place;
  place.kind = syntax_kind::segment;
  place.begin = place.at = i.range.begin;
  place.end = i.range.end;
  auto const entry_copy = *known;
  if (what.arity == 0) return applied(entry_copy, {}, what.name, place);
  return operator_entry(entry_copy, what.arity, what.name, "the constant " + std::string{what.name}, place);
}

}  // namespace halfopen::tla
