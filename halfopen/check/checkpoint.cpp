#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include <halfopen/check/checkpoint.hpp>

namespace halfopen::check {

namespace {

constexpr word magic = 0x314B43454843464FULL;  // "OFCHECK1": changes with the format

struct closes {
  void operator()(std::FILE* f) const noexcept { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, closes>;

/// A file is words, the last of which sums up the others.
class sum {
 public:
  void add(word w) noexcept {
    h_ = (h_ ^ w) * 0xBF58476D1CE4E5B9ULL;
    h_ ^= h_ >> 32;
  }
  [[nodiscard]] word get() const noexcept { return h_; }

 private:
  word h_ = 0x9E3779B97F4A7C15ULL;
};

class word_output {
 public:
  explicit word_output(std::string const& path) : file_{std::fopen(path.c_str(), "wb")} {}

  void put(word w) {
    sum_.add(w);
    buffer_[used_++] = w;
    if (used_ == buffer_.size()) flush();
  }
  /// Whether everything is on the disk.
  bool end() {
    put(sum_.get());
    flush();
    return file_ != nullptr && good_ && std::fflush(file_.get()) == 0 && ::fsync(fileno(file_.get())) == 0;
  }

 private:
  void flush() {
    good_ =
        good_ && file_ != nullptr && std::fwrite(buffer_.data(), sizeof(word), used_, file_.get()) == used_;
    used_ = 0;
  }

  file file_;
  bool good_ = true;
  sum sum_;
  std::array<word, 8192> buffer_;
  std::size_t used_ = 0;
};

class word_input {
 public:
  word_input(std::FILE* f, std::string const& path) : file_{f}, path_{path} {}

  word get() {
    if (at_ == used_) {
      used_ = std::fread(buffer_.data(), sizeof(word), buffer_.size(), file_);
      at_ = 0;
      if (used_ == 0) throw checkpoint_refused{path_ + " ends too early"};
    }
    sum_.add(buffer_[at_]);
    return buffer_[at_++];
  }
  [[nodiscard]] word sum_so_far() const noexcept { return sum_.get(); }

 private:
  std::FILE* file_;
  std::string const& path_;
  sum sum_;
  std::array<word, 8192> buffer_;
  std::size_t used_ = 0, at_ = 0;
};

void to_begin(std::FILE* f, std::string const& path) {
  if (std::fseek(f, 0, SEEK_SET) != 0) throw checkpoint_refused{path + " cannot be read"};
}

/// Looks through the whole file before anything of it is believed. Returns how many words it has before the
/// sum.
std::uint64_t checked_length(std::FILE* f, std::string const& path) {
  std::error_code unknown;
  auto const bytes = std::filesystem::file_size(path, unknown);
  if (unknown || bytes % sizeof(word) != 0 || bytes < 2 * sizeof(word))
    throw checkpoint_refused{path + " is damaged: its length is not one of a checkpoint"};
  word_input in{f, path};
  auto const length = bytes / sizeof(word) - 1;
  for (std::uint64_t i = 0; i < length; ++i) (void)in.get();
  auto const wanted = in.sum_so_far();
  if (in.get() != wanted) throw checkpoint_refused{path + " is damaged: its sum is wrong"};
  to_begin(f, path);
  return length;
}

struct header {
  word kind = magic, model = 0, width = 0, steps = 0;
  word next = 0, level_end = 0, states = 0, initial = 0;
  word generated = 0, depth = 0, step_count = 0;
};
constexpr std::size_t header_words = sizeof(header) / sizeof(word);

template <class Put>
void write_parts(header const& h, graph const& g, word_writer* writer, Put put) {
  std::array<word, header_words> words;
  std::memcpy(words.data(), &h, sizeof h);
  std::ranges::for_each(words, put);
  for (state_id s = 0; s < h.states; ++s) {
    put(g.parent(s));
    for (auto w : g.state(s)) put(writer != nullptr ? writer->written(w) : w);
  }
  for (state_id s = 0; h.steps != 0 && s < h.next; ++s) {
    put(g.steps(s).size());
    for (auto const& step : g.steps(s)) put(word{step.to} << 32 | step.by);
  }
  auto const legend = writer != nullptr ? writer->legend() : std::vector<word>{};
  std::ranges::for_each(legend, put);
  put(legend.size());  // last, so that it is found first
}

std::vector<word> legend_of(std::FILE* f, std::string const& path, std::uint64_t length) {
  auto const read_at = [&](std::uint64_t i, word* into, std::size_t count) {
    if (std::fseek(f, static_cast<long>(i * sizeof(word)), SEEK_SET) != 0 ||
        std::fread(into, sizeof(word), count, f) != count)
      throw checkpoint_refused{path + " cannot be read"};
  };
  word size = 0;
  read_at(length - 1, &size, 1);
  if (size > length - 1) throw checkpoint_refused{path + " is damaged: it has no place for its legend"};
  std::vector<word> legend(size);
  if (!legend.empty()) read_at(length - 1 - size, legend.data(), legend.size());
  to_begin(f, path);
  return legend;
}

header header_of(word_input& in, std::string const& path, checkpoints const& where, model const& m,
                 bool steps) {
  std::array<word, header_words> words;
  std::ranges::generate(words, [&] { return in.get(); });
  header h;
  std::memcpy(static_cast<void*>(&h), words.data(), sizeof h);
  if (h.kind != magic) throw checkpoint_refused{path + " is no checkpoint of this version"};
  if (h.model != where.model || h.width != m.width() || h.steps != (steps ? 1U : 0U))
    throw checkpoint_refused{path +
                             " is of another spec or configuration, or of the same before it was changed"};
  if (h.states >= no_state || h.next > h.states || h.level_end > h.states || h.initial > h.states)
    throw checkpoint_refused{path + " is damaged: its counts do not fit together"};
  return h;
}

void read_states(word_input& in, header const& h, word_reader const& reader, graph& g,
                 std::string const& path) {
  std::vector<word> r(h.width);
  g.grow_states(static_cast<state_id>(h.initial));
  g.end_initial();
  g.grow_states(static_cast<state_id>(h.states));
  for (state_id s = 0; s < h.states; ++s) {
    auto const parent = in.get();
    if (parent >= s && parent != no_state)
      throw checkpoint_refused{path + " is damaged: a state comes before its parent"};
    for (auto& w : r) {
      w = in.get();
      if (reader) w = reader(w);
    }
    g.put(s, r, static_cast<state_id>(parent));
  }
}

void read_steps(word_input& in, header const& h, graph& g, std::string const& path) {
  g.grow_steps(static_cast<state_id>(h.next), h.step_count);
  std::size_t at = 0;
  for (state_id s = 0; s < h.next; ++s) {
    g.put_steps(s, at);
    for (auto left = in.get(); left > 0; --left) {
      auto const w = in.get();
      if (at == h.step_count || w >> 32 >= h.states)
        throw checkpoint_refused{path + " is damaged: a step leads nowhere"};
      g.put_step(at++, {static_cast<state_id>(w >> 32), static_cast<action_id>(w)});
    }
  }
}

/// After a rename, so that the name is on the disk as well.
bool folder_on_disk(std::string const& path) {
  auto const folder = std::filesystem::path{path}.parent_path();
  int const fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  bool const done = ::fsync(fd) == 0;
  ::close(fd);
  return done;
}

}  // namespace

std::string write_checkpoint(checkpoints const& where, model& m, graph const& g, saved_search const& s,
                             bool steps) {
  auto const beside = where.file + ".new";
  header const h{.model = where.model,
                 .width = m.width(),
                 .steps = steps ? 1U : 0U,
                 .next = s.at.next,
                 .level_end = s.at.level_end,
                 .states = s.at.states,
                 .initial = g.initial_count(),
                 .generated = s.counts.generated,
                 .depth = s.counts.depth,
                 .step_count = steps ? g.first_step(s.at.next) : 0};
  auto const writer = m.writes_words();
  errno = 0;
  word_output out{beside};
  write_parts(h, g, writer.get(), [&](word w) { out.put(w); });
  if (out.end() && std::rename(beside.c_str(), where.file.c_str()) == 0 && folder_on_disk(where.file))
    return {};
  auto const why = errno != 0 ? std::strerror(errno) : "it was not written whole";
  return where.file + " cannot be written: " + why;
}

std::optional<saved_search> read_checkpoint(checkpoints const& where, model& m, graph& g, bool steps) {
  file const f{std::fopen(where.file.c_str(), "rb")};
  if (f == nullptr) {
    if (errno == ENOENT) return std::nullopt;
    throw checkpoint_refused{where.file + " cannot be read: " + std::strerror(errno)};
  }
  auto const length = checked_length(f.get(), where.file);
  auto const legend = legend_of(f.get(), where.file, length);
  word_input in{f.get(), where.file};
  auto const h = header_of(in, where.file, where, m, steps);
  read_states(in, h, m.reads_words(legend), g, where.file);
  if (steps) read_steps(in, h, g, where.file);
  return saved_search{
      {static_cast<state_id>(h.next), static_cast<state_id>(h.level_end), static_cast<state_id>(h.states)},
      {h.states, h.generated, static_cast<std::uint32_t>(h.depth)}};
}

}  // namespace halfopen::check
