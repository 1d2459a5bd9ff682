#include <algorithm>
#include <numeric>
#include <utility>

#include <halfopen/base/diagnostic.hpp>

namespace halfopen {
namespace {

// Edit distance in which two neighbours that changed places are one slip, three rows at a time.
std::size_t distance(std::string const& a, std::string const& b) {
  std::vector<std::size_t> above_that(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(above_that, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], above_that[j - 2] + 1);
    }
  }
  return row.back();
}

// What comes from a file may hold anything; on a terminal it must not act.
std::string harmless(std::string text) {
  for (char& c : text)
    if (auto const byte = static_cast<unsigned char>(c); (byte < 0x20 && c != '\n') || byte == 0x7F) c = '?';
  return text;
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
  return harmless(std::move(text));
}

std::string nearest(std::string const& word, std::vector<std::string> const& known) {
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (auto const& candidate : known) {
    if (auto const d = distance(word, candidate); d < best && d < candidate.size()) {
      best = d;
      found = candidate;
    }
  }
  return found;
}

}  // namespace halfopen
