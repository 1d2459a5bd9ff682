#include <chrono>
#include <limits>
#include <tuple>

#include <sqlite3.h>

#include <halfopen/gateway/storage_database.hpp>

namespace halfopen::gateway {
namespace {

storage_fault fault_of(int result) noexcept {
  switch (result & 0xFF) {  // the rest says where it happened
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return storage_fault::busy;
    case SQLITE_FULL: return storage_fault::full;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return storage_fault::corrupt;
    case SQLITE_INTERRUPT:
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE: return storage_fault::refused;
    default: return storage_fault::broken;
  }
}

unexpected<storage_error> failure(int result, sqlite3* db) {
  std::string message = sqlite3_errstr(result);
  if (db != nullptr && message != sqlite3_errmsg(db)) message += std::string{": "} + sqlite3_errmsg(db);
  return unexpected<storage_error>{{fault_of(result), std::move(message)}};
}

instant steady_now() noexcept { return instant{std::chrono::steady_clock::now().time_since_epoch()}; }

int past_limit(void* limit) { return steady_now() > *static_cast<instant const*>(limit) ? 1 : 0; }

}  // namespace

// ---- statement

void statement::finalize::operator()(sqlite3_stmt* s) const noexcept { sqlite3_finalize(s); }

void statement::rewind() {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
  bind_result_ = SQLITE_OK;
}

void statement::keep(int result) {
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
}

void statement::bind(int place, std::int64_t value) { keep(sqlite3_bind_int64(handle_.get(), place, value)); }

void statement::bind(int place, std::uint64_t value) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  bind(place, static_cast<std::int64_t>(value < most ? value : most));
}

void statement::bind(int place, std::string_view value) {
  char const* const start = value.data() == nullptr ? "" : value.data();  // a null pointer would bind NULL
  keep(sqlite3_bind_text64(handle_.get(), place, start, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void statement::bind(int place, std::span<std::uint8_t const> value) {
  keep(sqlite3_bind_blob64(handle_.get(), place, value.data(), value.size(), SQLITE_STATIC));
}

void statement::bind_null(int place) { keep(sqlite3_bind_null(handle_.get(), place)); }

stored<bool> statement::next() {
  auto* const db = sqlite3_db_handle(handle_.get());
  int const result = bind_result_ != SQLITE_OK ? bind_result_ : sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return failure(result, db);
}

stored<> statement::finish() {
  for (;;) {
    auto const row = next();
    if (row && *row) continue;
    sqlite3_reset(handle_.get());  // lets go of the lock; its result repeats next()'s
    if (!row) return unexpected<storage_error>{row.error()};
    return {};
  }
}

std::optional<std::int64_t> statement::integer(int column) const {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_INTEGER) return {};
  return sqlite3_column_int64(handle_.get(), column);
}

std::optional<std::string_view> statement::text(int column) const {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_TEXT) return {};
  auto const* const bytes = reinterpret_cast<char const*>(sqlite3_column_text(handle_.get(), column));
  auto const size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  if (bytes == nullptr) return {};  // out of memory
  return std::string_view{bytes, size};
}

std::span<std::uint8_t const> statement::blob(int column) const {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_BLOB) return {};
  auto const* const bytes = static_cast<std::uint8_t const*>(sqlite3_column_blob(handle_.get(), column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

bool statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

// ---- database

void database::closer::operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }

database::database(sqlite3* db) : handle_{db}, limit_{std::make_unique<instant>(instant::max())} {
  sqlite3_progress_handler(db, 1000, past_limit, limit_.get());
}

stored<database> database::open(std::filesystem::path const& file, open_mode mode) {
  int const flags =
      (mode == open_mode::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY) |
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  sqlite3* raw = nullptr;
  int const result = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  std::unique_ptr<sqlite3, closer> owned{raw};
  if (result != SQLITE_OK) return failure(result, raw);
  sqlite3_busy_timeout(raw, 1000);
  return database{owned.release()};
}

stored<statement> database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  int const result = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (result != SQLITE_OK) return failure(result, handle_.get());
  return statement{raw};
}

stored<> database::run(char const* sql) {
  int const result = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) return failure(result, handle_.get());
  return {};
}

stored<std::optional<std::int64_t>> database::number(std::string_view sql) {
  auto s = prepare(sql);
  if (!s) return unexpected<storage_error>{s.error()};
  s->start();
  auto const row = s->next();
  if (!row) return unexpected<storage_error>{row.error()};
  return *row ? s->integer(0) : std::nullopt;
}

bool database::in_transaction() const noexcept { return sqlite3_get_autocommit(handle_.get()) == 0; }

void database::stop_at(instant limit) { *limit_ = limit; }

// ---- transaction

stored<transaction> transaction::begin(database& db) {
  if (auto const begun = db.run("BEGIN IMMEDIATE"); !begun) return unexpected<storage_error>{begun.error()};
  return transaction{db};
}

stored<> transaction::commit() {
  auto const committed = db_->run("COMMIT");
  if (committed) db_ = nullptr;
  return committed;
}

transaction::~transaction() {
  // after some errors SQLite has rolled back by itself
  if (db_ != nullptr && db_->in_transaction()) std::ignore = db_->run("ROLLBACK");
}

}  // namespace halfopen::gateway
