#include <chrono>
#include <utility>

#include <halfopen/gateway/audit_field.hpp>
#include <halfopen/gateway/storage_writer.hpp>

// The side of the writer that any thread may come to; the thread's own side is storage_writer.cpp.
namespace halfopen::gateway {
namespace {

std::size_t size_of(audit_event const& e) {
  return e.who.size() + e.what.size() + e.tool.size() + e.host.size() + e.outcome.size() + e.detail.size() +
         e.arguments.value_or("").size();
}

std::size_t size_of(transition_event const& e) {
  return e.tool.size() + e.host.size() + e.from.size() + e.to.size() + e.cause.size();
}

}  // namespace

storage_writer::storage_writer(storage_config const& config, health_board& board)
    : config_{config}, board_{board}, thread_{[this] { run(); }} {}

storage_writer::item_ptr storage_writer::make_item(audit_event e) const {
  auto item = std::make_unique<storage_item>();
  auto cuts = cut_fields(e, config_.field_bytes_max);
  item->bytes = sizeof(storage_item) + size_of(e);
  item->row = audit_entry{std::move(e), std::move(cuts)};
  return item;
}

bool storage_writer::record(audit_event e) { return push(make_item(std::move(e))); }

bool storage_writer::record(transition_event e) {
  auto item = std::make_unique<storage_item>();
  item->bytes = sizeof(storage_item) + size_of(e);
  item->row = std::move(e);
  return push(std::move(item));
}

bool storage_writer::push(item_ptr item) {
  if (!reserve(*item)) return false;
  if (!queue_.push(item)) {
    release(*item);
    ++rows_dropped_;
    return false;
  }
  return true;
}

bool storage_writer::reserve(storage_item const& item) {
  auto const rows = rows_waiting_.fetch_add(1) + 1;
  auto const bytes = bytes_waiting_.fetch_add(item.bytes) + item.bytes;
  if (rows > config_.backlog_rows_max || bytes > config_.backlog_bytes_max) {
    release(item);
    ++rows_dropped_;
    return false;
  }
  if (rows == config_.backlog_rows_max / 2) wake();  // a burst: do not wait for the interval
  return true;
}

void storage_writer::release(storage_item const& item) {
  rows_waiting_.fetch_sub(1);
  bytes_waiting_.fetch_sub(item.bytes);
}

void storage_writer::record_durably(audit_event e, storage::done then) {
  auto item = make_item(std::move(e));
  item->then = std::move(then);
  item->sync = true;
  if (reserve(*item)) return push_with_waiter(std::move(item));
  item->then(unexpected<storage_error>{{storage_fault::refused, "the backlog is full: the row was dropped"}});
}

void storage_writer::flush(storage::done then) {
  auto item = std::make_unique<storage_item>();
  item->then = std::move(then);
  push_with_waiter(std::move(item));
}

void storage_writer::push_with_waiter(item_ptr item) {
  if (queue_.push(item)) return wake();
  if (item->has_row()) {
    release(*item);
    ++rows_dropped_;
  }
  item->then(unexpected<storage_error>{{storage_fault::closed, "the writer has ended"}});
}

void storage_writer::wake() {
  {
    std::lock_guard const lock{mutex_};
    urgent_ = true;
  }
  woken_.notify_one();
}

bool storage_writer::wait_until_loaded(duration limit) {
  std::unique_lock lock{mutex_};
  loaded_.wait_for(lock, limit, [&] { return tried_; });
  return health_.ok;
}

void storage_writer::suspect() {
  suspected_ = true;
  wake();
}

void storage_writer::note_unreadable(std::vector<std::string> const& problems) {
  if (problems.empty()) return;
  rows_unreadable_ += problems.size();
  note_error("unreadable in " + config_.file.string() + ": " + problems.front());
}

storage_health storage_writer::health() const {
  std::lock_guard const lock{mutex_};
  auto h = health_;
  h.rows_dropped = rows_dropped_;
  h.rows_waiting = rows_waiting_;
  h.rows_unreadable = rows_unreadable_;
  return h;
}

void storage_writer::close(duration limit) {
  {
    std::lock_guard const lock{mutex_};
    if (!closing_) close_by_ = clock::now() + limit;
    closing_ = true;
  }
  woken_.notify_one();
  std::lock_guard const lock{join_mutex_};
  if (thread_.joinable()) thread_.join();
}

}  // namespace halfopen::gateway
