#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <halfopen/base/time.hpp>
#include <halfopen/gateway/storage_error.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace halfopen::gateway {

/// One prepared statement. Texts and blobs that are bound must live until the statement has run.
///
/// Threads: the database's.
class statement {
 public:
  /// Binds every argument from the first place on, runs to the end and resets. Rows are thrown away.
  template <class... Args>
  [[nodiscard]] stored<> run(Args const&... args) {
    start(args...);
    return finish();
  }

  /// Binds and stands before the first row; next() moves to it.
  template <class... Args>
  void start(Args const&... args) {
    rewind();
    int place = 0;
    (bind(++place, args), ...);
  }
  [[nodiscard]] stored<bool> next();  // false: no more rows

  // The columns of the row that next() found. They convert nothing: a value of another type is not there.
  [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
  [[nodiscard]] std::optional<std::string_view> text(int column) const;  // valid until next() or start()
  [[nodiscard]] std::span<std::uint8_t const> blob(int column) const;    // likewise
  [[nodiscard]] bool is_null(int column) const;

  void bind(int place, std::int64_t value);
  void bind(int place, std::uint64_t value);  // past the largest signed number: that number
  void bind(int place, std::uint32_t value) { bind(place, std::int64_t{value}); }
  void bind(int place, std::string_view value);
  void bind(int place, std::string const& value) { bind(place, std::string_view{value}); }
  void bind(int place, std::span<std::uint8_t const> value);
  void bind_null(int place);
  template <class T>
  void bind(int place, std::optional<T> const& value) {
    if (value)
      bind(place, *value);
    else
      bind_null(place);
  }

 private:
  friend class database;
  struct finalize {
    void operator()(sqlite3_stmt* s) const noexcept;
  };
  explicit statement(sqlite3_stmt* s) : handle_{s} {}
  void rewind();
  stored<> finish();
  void keep(int result);

  std::unique_ptr<sqlite3_stmt, finalize> handle_;
  int bind_result_ = 0;
};

enum class open_mode : std::uint8_t { create, read_only };

/// One connection to a SQLite file.
///
/// Threads: one at a time.
class database {
 public:
  [[nodiscard]] static stored<database> open(std::filesystem::path const& file, open_mode mode);

  [[nodiscard]] stored<statement> prepare(std::string_view sql);
  /// Runs every statement of `sql`; for words that are written here, never for input.
  [[nodiscard]] stored<> run(char const* sql);
  /// The first column of the first row.
  [[nodiscard]] stored<std::optional<std::int64_t>> number(std::string_view sql);
  [[nodiscard]] bool in_transaction() const noexcept;
  /// Statements fail once the steady clock has passed `limit`; instant::max() lifts it.
  void stop_at(instant limit);

 private:
  struct closer {
    void operator()(sqlite3* db) const noexcept;
  };
  explicit database(sqlite3* db);

  std::unique_ptr<sqlite3, closer> handle_;
  std::unique_ptr<instant> limit_;  // at a fixed address: SQLite holds a pointer to it
};

/// BEGIN IMMEDIATE now; ROLLBACK on destruction unless commit() went through.
class transaction {
 public:
  [[nodiscard]] static stored<transaction> begin(database& db);
  [[nodiscard]] stored<> commit();
  transaction(transaction&& other) noexcept : db_{std::exchange(other.db_, nullptr)} {}
  transaction& operator=(transaction&&) = delete;
  ~transaction();

 private:
  explicit transaction(database& db) : db_{&db} {}
  database* db_;
};

}  // namespace halfopen::gateway
