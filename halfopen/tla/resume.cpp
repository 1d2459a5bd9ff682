#include <filesystem>
#include <fstream>
#include <iterator>

#include <halfopen/tla/resume.hpp>

namespace halfopen::tla {

namespace {

/// FNV-1a: tells texts apart that nobody has made to look alike.
class fingerprint {
 public:
  void add(std::string_view text) noexcept {
    for (char const c : text) h_ = (h_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    h_ = (h_ ^ text.size()) * 0x100000001B3ULL;
  }
  [[nodiscard]] std::uint64_t get() const noexcept { return h_; }

 private:
  std::uint64_t h_ = 0xCBF29CE484222325ULL;
};

std::string text_of(std::string const& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::uint64_t number_of(prepared const& p, verification const& what, std::string const& config) {
  fingerprint f;
  for (auto const text : p.spec.texts()) f.add(text);
  f.add(text_of(config));
  f.add(what.check_deadlock ? "deadlock" : "");
  f.add(what.force_liveness ? "forced" : "");
  return f.get();
}

}  // namespace

check::checkpoints checkpoint_for(prepared const& p, verification const& what) {
  if (what.checkpoint.empty()) return {};
  auto const refuse = [](std::string why) {
    throw refusal{refusal::kind::config, "error: " + std::move(why)};
  };
  if (p.model->depends_on_history()) {
    refuse(
        "no checkpoint can be made of " + std::string{p.spec.root().name} +
        ": what it answers depends on what was asked before (RandomElement, TLCSet, Print), so a search that "
        "is taken up again would differ");
  }
  std::error_code fault;
  std::filesystem::create_directories(what.checkpoint, fault);
  if (fault) refuse("the folder " + what.checkpoint + " cannot be made: " + fault.message());
  auto const config = what.config.empty() ? config_beside(what.spec) : what.config;
  auto const name =
      std::string{p.spec.root().name} + "-" + std::filesystem::path{config}.stem().string() + ".checkpoint";
  return {(std::filesystem::path{what.checkpoint} / name).string(), number_of(p, what, config),
          what.checkpoint_due};
}

void tell_of_checkpoint(check::checkpoints const& where, check::result const& found, report& r) {
  if (where.file.empty()) return;
  r.resumed_at = found.checkpoint.resumed_at;
  if (found.found != check::verdict::not_finished) {
    std::error_code none;  // there may be no file
    std::filesystem::remove(where.file, none);
    return;
  }
  r.message += found.checkpoint.written
                   ? "\nThe same command goes on from here: what was found is in " + where.file + "."
                   : "\nIt cannot go on from here: " + found.checkpoint.failed + ".";
}

}  // namespace halfopen::tla
