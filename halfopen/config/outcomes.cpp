#include <algorithm>
#include <charconv>
#include <optional>

#include <halfopen/base/diagnostic.hpp>
#include <halfopen/config/outcomes.hpp>

namespace halfopen::config {
namespace {

using no_reply = std::pair<std::string_view, outcome::kind>;
constexpr std::array<no_reply, 4> no_replies{{{"timeout", outcome::kind::timeout},
                                              {"reset", outcome::kind::reset},
                                              {"unreachable", outcome::kind::unreachable},
                                              {"bad_reply", outcome::kind::bad_reply}}};

std::optional<std::uint16_t> status(std::string_view s) {
  std::uint16_t n = 0;
  auto const [end, fault] = std::from_chars(s.data(), s.data() + s.size(), n);
  bool const is_number = s.size() == 3 && fault == std::errc{} && end == s.data() + s.size();
  return is_number && n >= 100 && n <= 599 ? std::optional{n} : std::nullopt;
}

parsed<outcome> not_one(std::string hint = "") {
  return unexpected<misfit>{misfit{"config.value", "", std::move(hint)}};
}

result_class& no_reply_of(classification& c, outcome::kind k) {
  switch (k) {
    case outcome::kind::timeout: return c.timeout;
    case outcome::kind::reset: return c.reset;
    case outcome::kind::unreachable: return c.unreachable;
    case outcome::kind::bad_reply:
    case outcome::kind::status: break;
  }
  return c.bad_reply;
}

// The class of most statuses of a hundred: what "5xx" is written for.
result_class usual(classification const& c, int hundred) {
  result_class best = result_class::success;
  std::ptrdiff_t most = -1;
  for (auto const& list : outcome_lists) {
    auto const from = c.by_status.begin() + (hundred - 1) * 100;
    auto const n = std::count(from, from + 100, list.gives);
    if (n > most) {
      most = n;
      best = list.gives;
    }
  }
  return best;
}

void add_exceptions(classification const& c, int hundred, result_class as, std::vector<outcome>& out) {
  for (int s = hundred * 100; s < hundred * 100 + 100; ++s) {
    if (c.of_status(s) != as) continue;
    auto const code = static_cast<std::uint16_t>(s);
    bool const goes_on = !out.empty() && out.back().is == outcome::kind::status && out.back().last + 1 == s &&
                         out.back().first / 100 == hundred;
    if (goes_on)
      out.back().last = code;
    else
      out.push_back({outcome::kind::status, code, code});
  }
}

}  // namespace

parsed<outcome> codec<outcome>::parse(std::string_view text) {
  for (auto const& [name, kind] : no_replies)
    if (text == name) return outcome{kind};
  if (text.size() == 3 && text.substr(1) == "xx" && text[0] >= '1' && text[0] <= '5') {
    auto const first = static_cast<std::uint16_t>((text[0] - '0') * 100);
    return outcome{outcome::kind::status, first, static_cast<std::uint16_t>(first + 99)};
  }
  auto const dash = text.find('-');
  auto const first = status(text.substr(0, dash));
  auto const last = dash == std::string_view::npos ? first : status(text.substr(dash + 1));
  if (!first || !last) {
    auto const near = nearest(std::string{text}, {"timeout", "reset", "unreachable", "bad_reply"});
    return not_one(near.empty() ? "statuses are 100 to 599" : "did you mean " + near + "?");
  }
  if (*last < *first) return not_one("a range begins with its smaller status");
  return outcome{outcome::kind::status, *first, *last};
}

std::string codec<outcome>::print(outcome const& o) {
  if (o.is != outcome::kind::status)
    return std::string{std::ranges::find(no_replies, o.is, &no_reply::second)->first};
  if (o.first == o.last) return std::to_string(o.first);
  if (o.first % 100 == 0 && o.last == o.first + 99) return std::to_string(o.first / 100) + "xx";
  return std::to_string(o.first) + "-" + std::to_string(o.last);
}

classification default_classification() {
  classification c;
  c.by_status.fill(result_class::success);
  classify(c, {outcome::kind::status, 500, 599}, result_class::failure);
  classify(c, {outcome::kind::status, 400, 499}, result_class::ignored);
  classify(c, {outcome::kind::status, 429, 429}, result_class::throttled);
  return c;
}

void classify(classification& c, outcome const& o, result_class as) {
  if (o.is != outcome::kind::status) {
    no_reply_of(c, o.is) = as;
    return;
  }
  for (int s = o.first; s <= o.last; ++s) c.by_status[static_cast<std::size_t>(s - 100)] = as;
}

std::vector<outcome> outcomes_of(classification const& c, result_class as) {
  std::vector<outcome> out;
  for (int hundred = 1; hundred <= 5; ++hundred) {
    auto const first = static_cast<std::uint16_t>(hundred * 100);
    if (usual(c, hundred) == as)
      out.push_back({outcome::kind::status, first, static_cast<std::uint16_t>(first + 99)});
    else
      add_exceptions(c, hundred, as, out);
  }
  classification copy = c;
  for (auto const& [name, kind] : no_replies)
    if (no_reply_of(copy, kind) == as) out.push_back({kind});
  return out;
}

}  // namespace halfopen::config
