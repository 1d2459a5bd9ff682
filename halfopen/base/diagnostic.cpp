#include <algorithm>
#include <numeric>

#include <halfopen/base/diagnostic.hpp>

namespace halfopen {
namespace {

// Levenshtein distance, one row at a time.
std::size_t distance(std::string const& a, std::string const& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string to_string(diagnostic const& d) {
  std::string text = d.file;
  if (d.at.line != 0) text += ":" + std::to_string(d.at.line) + ":" + std::to_string(d.at.column);
  text += d.level == severity::error ? ": error: " : ": warning: ";
  if (!d.found.empty()) text += "found " + d.found;
  if (!d.found.empty() && !d.expected.empty()) text += ", ";
  if (!d.expected.empty()) text += "expected " + d.expected;
  if (!d.hint.empty()) text += "; " + d.hint;
  if (!d.code.empty()) text += " [" + d.code + "]";
  return text;
}

std::string nearest(std::string const& word, std::vector<std::string> const& known) {
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (auto const& candidate : known) {
    if (auto const d = distance(word, candidate); d < best) {
      best = d;
      found = candidate;
    }
  }
  return found;
}

}  // namespace halfopen
