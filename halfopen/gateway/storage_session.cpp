#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <halfopen/gateway/audit_chain.hpp>
#include <halfopen/gateway/migrations.hpp>
#include <halfopen/gateway/storage_session.hpp>

namespace halfopen::gateway {
namespace {

unexpected<storage_error> passed_on(storage_error const& e) { return unexpected<storage_error>{e}; }

unexpected<storage_error> system_failure(std::string const& what, int error) {
  auto const fault = error == ENOSPC || error == EDQUOT ? storage_fault::full : storage_fault::broken;
  return unexpected<storage_error>{{fault, what + ": " + std::generic_category().message(error)}};
}

// NORMAL: a commit survives the death of this process; one that must survive a power cut is synced by hand
// (see write). The size limit gives the log's room back after a burst.
constexpr char const* settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216;"
    "PRAGMA trusted_schema = OFF";

// For whoever finds the file taken. A full disk takes no number; the claim holds all the same.
void write_owner(int fd) {
  auto const pid = std::to_string(::getpid()) + '\n';
  if (::ftruncate(fd, 0) == 0) std::ignore = ::pwrite(fd, pid.data(), pid.size(), 0);
}

std::string owner(int fd) {
  char text[16];
  auto const n = ::pread(fd, text, sizeof text, 0);
  std::string_view const pid{text, static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  auto const digits = pid.substr(0, pid.find_first_not_of("0123456789"));
  return digits.empty() ? "another process" : "process " + std::string{digits};
}

}  // namespace

// ---- file_claim

stored<file_claim> file_claim::take(std::filesystem::path const& file) {
  auto const name = file.string() + ".lock";
  int const fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return system_failure(name, errno);
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
    write_owner(fd);
    return file_claim{fd};
  }
  int const error = errno;
  auto const who = owner(fd);
  ::close(fd);
  if (error != EWOULDBLOCK) return system_failure(name, error);
  return unexpected<storage_error>{{storage_fault::claimed, file.string() + " is written by " + who}};
}

file_claim::~file_claim() {
  if (fd_ >= 0) ::close(fd_);
}

// ---- open

storage_session::storage_session(std::filesystem::path file, file_claim claim, database db, words w,
                                 chain_end end, std::int64_t batch)
    : file_{std::move(file)},
      claim_{std::move(claim)},
      db_{std::move(db)},
      words_{std::move(w)},
      end_{end},
      batch_{batch},
      identity_{identity(file_)} {}

stored<storage_session> storage_session::open(std::filesystem::path const& file) {
  auto claim = file_claim::take(file);
  if (!claim) return passed_on(claim.error());
  auto db = database::open(file, open_mode::create);
  if (!db) return passed_on(db.error());
  if (auto const set = db->run(settings); !set) return passed_on(set.error());
  if (auto const migrated = migrate(*db); !migrated) return passed_on(migrated.error());
  if (auto const sound = check(*db); !sound) return passed_on(sound.error());
  auto w = prepare(*db);
  if (!w) return passed_on(w.error());
  auto const end = read_chain_end(*db);
  if (!end) return passed_on(end.error());
  auto const batch = read_last_batch(*db);
  if (!batch) return passed_on(batch.error());
  return storage_session{file, std::move(*claim), std::move(*db), std::move(*w), *end, *batch};
}

stored<storage_session::words> storage_session::prepare(database& db) {
  std::optional<storage_error> failed;
  auto const word = [&](std::string const& sql) -> std::optional<statement> {
    auto s = db.prepare(sql);
    if (s) return std::move(*s);
    failed = s.error();
    return {};
  };
  auto insert_audit = word("INSERT INTO audit_log (" + std::string{audit_columns} +
                           ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  auto insert_transition =
      word(R"(INSERT INTO transitions (at, tool, host, epoch, "from", "to", cause, calls, )"
           "failures, slow) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  auto upsert_health = word("INSERT OR REPLACE INTO health_metrics (" + std::string{health_columns} +
                            ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  auto set_state = word("UPDATE audit_state SET last_id = ?, last_hash = ?, last_batch = ?");
  auto set_removed = word("UPDATE audit_state SET removed_through = ?, removed_hash = ?");
  auto old_audit = word("SELECT id, at, hash FROM audit_log ORDER BY id LIMIT ?");
  auto remove_audit = word("DELETE FROM audit_log WHERE id <= ?");
  auto remove_transitions =
      word("DELETE FROM transitions WHERE at < ? AND id IN (SELECT id FROM transitions ORDER BY id LIMIT ?)");
  if (failed) return passed_on(*failed);
  return words{std::move(*insert_audit), std::move(*insert_transition), std::move(*upsert_health),
               std::move(*set_state),    std::move(*set_removed),       std::move(*old_audit),
               std::move(*remove_audit), std::move(*remove_transitions)};
}

/// Damage that no ordinary statement would meet for weeks is better found when the file is opened. A large
/// file is not read through: that would hold up the first flush for seconds.
stored<> storage_session::check(database& db) {
  constexpr std::int64_t pages_max = 16'384;  // 64 MiB
  auto const pages = db.number("PRAGMA page_count");
  if (!pages) return passed_on(pages.error());
  if (pages->value_or(0) > pages_max) return {};
  auto s = db.prepare("PRAGMA quick_check(1)");
  if (!s) return passed_on(s.error());
  s->start();
  auto const row = s->next();
  if (!row) return passed_on(row.error());
  if (*row && s->text(0) == "ok") return {};
  return unexpected<storage_error>{
      {storage_fault::corrupt, "damaged: " + std::string{s->text(0).value_or("")}}};
}

stored<storage_session::chain_end> storage_session::read_chain_end(database& db) {
  // a row that someone added past the end is stepped over, not collided with for ever; verify_chain tells of
  // it
  auto s = db.prepare(
      "SELECT max(last_id, coalesce((SELECT max(id) FROM audit_log), 0)), last_hash FROM audit_state");
  if (!s) return passed_on(s.error());
  s->start();
  auto const row = s->next();
  if (!row) return passed_on(row.error());
  chain_end end;
  auto const hash = s->blob(1);
  if (!*row || !s->integer(0) || hash.size() != end.hash.size())
    return unexpected<storage_error>{
        {storage_fault::corrupt, "audit_state does not say where the audit log ends"}};
  end.id = *s->integer(0);
  std::ranges::copy(hash, end.hash.begin());
  return end;
}

stored<std::int64_t> storage_session::read_last_batch(database& db) {
  auto const n = db.number("SELECT last_batch FROM audit_state");
  if (!n) return passed_on(n.error());
  return n->value_or(0);
}

stored<std::int64_t> storage_session::last_batch() { return read_last_batch(db_); }

std::optional<storage_session::file_identity> storage_session::identity(std::filesystem::path const& file) {
  struct stat s{};
  if (::stat(file.c_str(), &s) != 0) return {};
  return file_identity{s.st_dev, s.st_ino};
}

bool storage_session::is_in_place() const { return identity_ && identity(file_) == identity_; }

// ---- counts

stored<std::vector<health_row>> storage_session::load_counts(std::vector<row_problem>& problems) {
  auto s = db_.prepare("SELECT " + std::string{health_columns} + " FROM health_metrics");
  if (!s) return passed_on(s.error());
  std::vector<health_row> rows;
  s->start();
  for (;;) {
    auto const more = s->next();
    if (!more) return passed_on(more.error());
    if (!*more) return rows;
    if (auto row = read_health_row(*s, problems))
      rows.push_back(std::move(*row));
    else
      problems.push_back(row.error());
  }
}

// ---- write

stored<storage_session::written> storage_session::write(std::span<std::unique_ptr<storage_item> const> items,
                                                        std::vector<health_row> const& counts) {
  bool const rows = std::ranges::any_of(items, [](auto const& item) { return item->has_row(); });
  if (!rows && !has_news(counts)) return written{};
  bool const sync = std::ranges::any_of(items, [](auto const& item) { return item->sync; });
  if (auto const set = db_.run(sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"); !set)
    return passed_on(set.error());
  auto t = transaction::begin(db_);
  if (!t) return passed_on(t.error());
  written w;
  auto end = end_;
  if (auto const done = write_rows(items, end, w); !done) return passed_on(done.error());
  if (auto const done = write_counts(counts); !done) return passed_on(done.error());
  if (auto const done = t->commit(); !done) return passed_on(done.error());
  end_ = end;
  if (rows) ++batch_;
  for (auto const& row : counts) counts_written_[row.key] = row.counts;
  return w;
}

stored<> storage_session::write_rows(std::span<std::unique_ptr<storage_item> const> items, chain_end& end,
                                     written& w) {
  for (auto const& item : items) {
    if (!item->has_row()) continue;
    auto const done = write_row(*item, end);
    if (!done && done.error().fault != storage_fault::refused) return done;
    ++(done ? w.rows : w.rows_refused);
    if (!done) w.refusal = done.error().message;
  }
  if (w.rows + w.rows_refused == 0) return {};
  return words_.set_state.run(end.id, std::span<std::uint8_t const>{end.hash}, next_batch());
}

stored<> storage_session::write_row(storage_item const& item, chain_end& end) {
  if (auto const* const transition = std::get_if<transition_event>(&item.row))
    return insert(words_.insert_transition, *transition);
  auto const& entry = std::get<audit_entry>(item.row);
  audit_row row{.id = end.id + 1, .event = entry.event, .cuts = entry.cuts, .previous = end.hash, .hash = {}};
  row.hash = chain_hash(row);
  auto done = insert(words_.insert_audit, row);
  if (done) end = {row.id, row.hash};
  return done;
}

bool storage_session::is_news(health_row const& row) const {
  auto const known = counts_written_.find(row.key);
  return known == counts_written_.end() || known->second != row.counts;
}

bool storage_session::has_news(std::vector<health_row> const& counts) const {
  return std::ranges::any_of(counts, [&](auto const& row) { return is_news(row); });
}

stored<> storage_session::write_counts(std::vector<health_row> const& counts) {
  for (auto const& row : counts) {
    if (!is_news(row)) continue;
    if (auto const done = insert(words_.upsert_health, row); !done) return done;
  }
  return {};
}

// ---- retention

stored<std::uint64_t> storage_session::remove_older(wall_time cutoff, std::uint32_t rows_max) {
  auto t = transaction::begin(db_);
  if (!t) return passed_on(t.error());
  auto const text = to_text(cutoff);
  std::uint64_t removed = 0;
  if (auto const done = remove_audit_prefix(text, rows_max, removed); !done) return passed_on(done.error());
  if (auto const done = words_.remove_transitions.run(text, rows_max); !done) return passed_on(done.error());
  if (auto const done = t->commit(); !done) return passed_on(done.error());
  return removed;
}

stored<> storage_session::remove_audit_prefix(std::string const& cutoff, std::uint32_t rows_max,
                                              std::uint64_t& removed) {
  chain_end through;
  auto& old = words_.old_audit;
  old.start(rows_max);
  for (;;) {
    auto const row = old.next();
    if (!row) return passed_on(row.error());
    if (!*row || old.text(1).value_or("") >= cutoff || old.blob(2).size() != through.hash.size()) break;
    through.id = old.integer(0).value_or(0);
    std::ranges::copy(old.blob(2), through.hash.begin());
    ++removed;
  }
  old.start(0U);  // lets go of the read position
  if (removed == 0) return {};
  if (auto const done = words_.set_removed.run(through.id, std::span<std::uint8_t const>{through.hash});
      !done)
    return done;
  return words_.remove_audit.run(through.id);
}

// ---- a damaged file

stored<std::filesystem::path> move_aside(std::filesystem::path const& file, wall_time now) {
  std::filesystem::path to = file.string() + ".corrupt-" + to_text(now);
  std::error_code error;
  std::filesystem::rename(file, to, error);
  if (error) return system_failure("cannot move " + file.string() + " aside", error.value());
  for (auto const* const tail : {"-wal", "-shm"}) {  // often absent; a stale one would damage the new file
    std::filesystem::rename(file.string() + tail, to.string() + tail, error);
    if (error && error != std::errc::no_such_file_or_directory)
      return system_failure("cannot move " + file.string() + tail + " aside", error.value());
  }
  return to;
}

}  // namespace halfopen::gateway
