#include <algorithm>
#include <array>
#include <string_view>

#include <halfopen/app/check_spellings.hpp>

namespace halfopen::app {
namespace {

/// Options of TLC, and what they are here. Empty: nothing.
struct spelling {
  std::string_view tlc;
  std::string_view here;
  bool drops_value = false;
};

constexpr auto spellings = std::to_array<spelling>({{"-config", "--config"},
                                                    {"-workers", "--workers"},
                                                    {"-difftrace", "--difftrace"},
                                                    {"-deadlock", "--no-deadlock"},
                                                    {"-depth", "--depth"},
                                                    {"-seed", "--seed"},
                                                    {"-nowarning", "--no-warnings"},
                                                    {"-cleanup", ""},
                                                    {"-gzip", ""},
                                                    {"-tool", ""},
                                                    {"-terse", ""},
                                                    {"-noGenerateSpecTE", ""},
                                                    {"-fp", "", true},
                                                    {"-fpbits", "", true},
                                                    {"-fpmem", "", true},
                                                    {"-lncheck", "", true},
                                                    {"-maxSetSize", "", true},
                                                    {"-metadir", "", true},
                                                    {"-userFile", "", true}});

bool is_number(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

class rewriter {
 public:
  explicit rewriter(std::vector<std::string> given) : given_{std::move(given)} {}

  std::vector<std::string> run() {
    while (at_ < given_.size()) one();
    return std::move(out_);
  }

 private:
  void one() {
    auto const a = given_[at_++];
    auto const* known = std::ranges::find(spellings, a, &spelling::tlc);
    if (a == "-simulate") return simulate();
    if (a == "-dump") return dump();
    if (a == "-coverage") return coverage();
    if (known == spellings.end()) return out_.push_back(a);
    if (!known->here.empty()) out_.emplace_back(known->here);
    if (known->drops_value && at_ < given_.size()) ++at_;
  }

  /// `-simulate`, `-simulate num=5`, `-simulate file=F,num=5`: without a number, without end.
  void simulate() {
    std::string count = "0";
    if (next().starts_with("num=") || next().starts_with("file=")) {
      auto const number = next().find("num=");
      if (number != std::string::npos)
        count = next().substr(number + 4, next().find(',', number) - number - 4);
      ++at_;
    }
    out_.insert(out_.end(), {"--simulate", count});
  }

  /// `-dump F` and `-dump dot,colorize,actionlabels F`.
  void dump() {
    bool const dot = next().starts_with("dot") && at_ + 1 < given_.size();
    if (dot) ++at_;
    auto file = next();
    ++at_;
    if (!file.ends_with(".dot") && !file.ends_with(".json")) file += ".dot";
    out_.insert(out_.end(), {"--dump-graph", file});
  }

  /// TLC repeats it every so many minutes.
  void coverage() {
    if (is_number(next())) ++at_;
    out_.emplace_back("--coverage");
  }

  [[nodiscard]] std::string next() const { return at_ < given_.size() ? given_[at_] : ""; }

  std::vector<std::string> given_;
  std::vector<std::string> out_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string> without_tlc_spellings(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "check") return arguments;
  return rewriter{std::move(arguments)}.run();
}

}  // namespace halfopen::app
