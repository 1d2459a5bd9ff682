#include <algorithm>
#include <string_view>

#include <halfopen/gateway/audit_chain.hpp>
#include <halfopen/gateway/storage_rows.hpp>

namespace halfopen::gateway {
namespace {

/// Bytes that can be read back in one way only: every text with its length, every number in eight bytes.
class encoding {
 public:
  encoding& operator<<(std::uint64_t n) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>((n >> shift) & 0xFF);
    return *this;
  }
  encoding& operator<<(std::string_view text) {
    *this << text.size();
    bytes_ += text;
    return *this;
  }
  [[nodiscard]] std::string const& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

std::string_view text_of(digest const& d) { return {reinterpret_cast<char const*>(d.data()), d.size()}; }

digest digest_of(std::span<std::uint8_t const> bytes) {
  digest d{};
  if (bytes.size() == d.size()) std::ranges::copy(bytes, d.begin());
  return d;
}

/// Walks the rows in order and holds each against the one before.
class chain_walk {
 public:
  chain_walk(std::int64_t removed_through, digest const& removed_hash)
      : next_id_{removed_through + 1}, hash_{removed_hash} {
    report_.last_id = removed_through;
  }

  void row(statement const& s) {
    auto const id = s.integer(0).value_or(0);
    if (report_.rows++ == 0) report_.first_id = id;
    if (id > next_id_) fault(next_id_, "missing, up to row " + std::to_string(id - 1));
    auto const read = read_audit_row(s);
    if (!read) {
      fault(id, "unreadable: " + read.error());
    } else {
      if (id == next_id_ && read->previous != hash_) fault(id, "does not follow the row before");
      if (chain_hash(*read) != read->hash) fault(id, "edited");
    }
    hash_ = digest_of(s.blob(hash_column));
    next_id_ = id + 1;
    report_.last_id = id;
  }

  chain_report end(std::int64_t last_id, digest const& last_hash) {
    if (last_id > report_.last_id)
      fault(report_.last_id + 1, "missing, up to row " + std::to_string(last_id) + ", the end of the log");
    else if (last_id < report_.last_id)
      fault(last_id + 1, "added after the end of the log");
    else if (last_hash != hash_ && holds())
      fault(last_id, "is not the row the log ended with");
    return std::move(report_);
  }

 private:
  static constexpr int hash_column = 15;  // the last of audit_columns

  [[nodiscard]] bool holds() const { return report_.faults.empty(); }
  void fault(std::int64_t id, std::string what) {
    if (report_.faults.size() < 100) report_.faults.push_back({id, std::move(what)});
  }

  chain_report report_;
  std::int64_t next_id_;
  digest hash_;
};

stored<chain_report> walk(database& db) {
  auto state = db.prepare("SELECT removed_through, removed_hash, last_id, last_hash FROM audit_state");
  if (!state) return unexpected<storage_error>{state.error()};
  state->start();
  auto const found = state->next();
  if (!found) return unexpected<storage_error>{found.error()};
  if (!*found) return unexpected<storage_error>{{storage_fault::corrupt, "audit_state has no row"}};
  chain_walk w{state->integer(0).value_or(0), digest_of(state->blob(1))};

  auto rows = db.prepare("SELECT " + std::string{audit_columns} + " FROM audit_log ORDER BY id");
  if (!rows) return unexpected<storage_error>{rows.error()};
  rows->start();
  for (;;) {
    auto const row = rows->next();
    if (!row) return unexpected<storage_error>{row.error()};
    if (!*row) return w.end(state->integer(2).value_or(0), digest_of(state->blob(3)));
    w.row(*rows);
  }
}

}  // namespace

digest chain_hash(audit_row const& row) {
  auto const& e = row.event;
  encoding out;
  out << text_of(row.previous) << static_cast<std::uint64_t>(row.id)
      << static_cast<std::uint64_t>(e.at.time_since_epoch().count()) << name(e.kind) << e.who << e.what
      << e.tool << e.host << e.outcome << e.status << e.attempts
      << static_cast<std::uint64_t>(std::max<std::int64_t>(e.took / std::chrono::microseconds{1}, 0))
      << std::uint64_t{e.arguments.has_value()} << e.arguments.value_or("") << e.detail << row.cuts.size();
  for (auto const& c : row.cuts) out << c.field << c.bytes << c.sha256;
  return sha256(out.bytes());
}

stored<chain_report> verify_chain(std::filesystem::path const& file) {
  auto db = database::open(file, open_mode::read_only);
  if (!db) return unexpected<storage_error>{db.error()};
  // one transaction: a gateway that writes meanwhile cannot make the end of the log move under us
  if (auto const begun = db->run("BEGIN"); !begun) return unexpected<storage_error>{begun.error()};
  return walk(*db);
}

}  // namespace halfopen::gateway
