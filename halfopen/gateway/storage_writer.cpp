#include <algorithm>
#include <csignal>
#include <exception>
#include <iterator>
#include <span>
#include <utility>

#include <pthread.h>

#include <halfopen/base/assert.hpp>
#include <halfopen/gateway/storage_writer.hpp>

namespace halfopen::gateway {
namespace {

constexpr std::size_t rows_per_transaction =
    512;  // each brings the counts of its moment: more would make them wait
constexpr std::uint32_t removed_per_flush = 1000;  // so that retention never holds up a flush for long

}  // namespace

void storage_writer::run() {
  ::pthread_setname_np(::pthread_self(), "ho-storage");
  sigset_t all;  // signals belong to the loops
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  flush_at_ = clock::now();
  do {
    queue_.take_all(pending_);
    attempt_if_due();
  } while (wait_for_work());
  finish();
}

bool storage_writer::wait_for_work() {
  std::unique_lock lock{mutex_};
  // Four times an interval, from start to start: a count that has just missed a flush is in the file, write
  // included, well before its interval ends, also on a busy machine.
  flush_at_ = std::max(flush_at_ + config_.flush_every / 4, clock::now());
  woken_.wait_until(lock, flush_at_, [&] { return urgent_ || closing_; });
  urgent_ = false;
  return !closing_;
}

void storage_writer::attempt_if_due() {
  // while it is failing, someone who waits for a row on the disk gets a fresh try, others the last answer
  bool const asked = std::ranges::any_of(pending_, [](auto const& item) { return item->sync && item->then; });
  if (asked || clock::now() >= attempt_at_)
    attempt();
  else
    answer_waiters(last_error_);
}

void storage_writer::attempt() {
  try {
    auto done = try_once();
    if (!done && done.error().fault == storage_fault::corrupt && set_aside(done.error())) done = try_once();
    done ? succeeded() : failed(done.error());
  } catch (
      std::exception const& e) {  // out of memory, most likely: the rows wait, the database is opened anew
    session_.reset();
    failed({storage_fault::broken, e.what()});
  }
}

stored<> storage_writer::try_once() {
  if (session_ && !session_->is_in_place()) {
    session_.reset();
    note_error(config_.file.string() + " was removed or replaced while open; opened again");
  }
  if (suspected_.exchange(false)) session_.reset();  // what it has cached says nothing about the file
  if (!session_) {
    if (auto const opened = open(); !opened) return opened;
  }
  auto done = settle_unsure();
  if (done) done = write_pending();
  if (done) done = remove_old_rows();
  bool const keeps =
      done || done.error().fault == storage_fault::full || done.error().fault == storage_fault::busy;
  if (!keeps) session_.reset();
  return done;
}

stored<> storage_writer::open() {
  auto opened = storage_session::open(config_.file);
  if (!opened) return unexpected<storage_error>{opened.error()};
  if (!counts_loaded_) {  // once: later, what is in memory is newer than any file
    std::vector<row_problem> problems;
    auto const rows = opened->load_counts(problems);
    if (!rows) return unexpected<storage_error>{rows.error()};
    for (auto const& row : *rows) board_.set_base(row.key, row.counts);
    note_unreadable(problems);
    counts_loaded_ = true;
  }
  session_.emplace(std::move(*opened));
  return {};
}

stored<> storage_writer::settle_unsure() {
  if (!unsure_) return {};
  auto const last = session_->last_batch();
  if (!last) return unexpected<storage_error>{last.error()};
  auto const b = *std::exchange(unsure_, std::nullopt);
  if (*last != b.number) return {};
  auto const at = std::ranges::find(pending_, b.last, [](auto const& item) { return item.get(); });
  invariant(at != pending_.end(), "a row leaves the backlog only once it is known to be written");
  forget(static_cast<std::size_t>(at - pending_.begin()) + 1, {});
  return {};
}

storage_item const* storage_writer::last_row(std::size_t count) const {
  while (count > 0 && !pending_[count - 1]->has_row()) --count;
  return count > 0 ? pending_[count - 1].get() : nullptr;
}

stored<> storage_writer::write_pending() {
  do {
    auto const count = std::min(pending_.size(), rows_per_transaction);
    if (auto const* const last = last_row(count)) unsure_ = batch{session_->next_batch(), last};
    auto const written = session_->write(std::span{pending_}.first(count), board_.read());
    if (!written) return unexpected<storage_error>{written.error()};
    unsure_.reset();
    rows_dropped_ += written->rows_refused;
    if (written->rows_refused > 0) note_error("a row was refused: " + written->refusal);
    {
      std::lock_guard const lock{mutex_};
      health_.rows_written += written->rows;
    }
    forget(count, {});
  } while (!pending_.empty());
  return {};
}

stored<> storage_writer::remove_old_rows() {
  if (config_.retention <= duration{} || clock::now() < retention_at_) return {};
  auto const cutoff = wall_now() - std::chrono::floor<std::chrono::milliseconds>(config_.retention);
  auto const removed = session_->remove_older(cutoff, removed_per_flush);
  if (!removed) return unexpected<storage_error>{removed.error()};
  removed_untold_ += *removed;
  if (*removed == removed_per_flush) return {};  // there may be more: go on with the next flush
  if (removed_untold_ > 0)
    append_own("retention", std::to_string(std::exchange(removed_untold_, 0)) + " audit rows");
  retention_at_ = clock::now() + std::min<duration>(config_.retention, std::chrono::hours{1});
  return {};
}

bool storage_writer::set_aside(storage_error const& e) {
  session_.reset();
  auto const held = hold_file();
  auto const claim = file_claim::take(config_.file);
  if (!claim) return false;
  auto const to = move_aside(config_.file, wall_now());
  if (!to) {
    note_error(to.error().message);
    return false;
  }
  auto const message = e.message + ": moved to " + to->string() + ", a new database was started";
  note_error(message);
  append_own("database_replaced", message);
  std::lock_guard const lock{mutex_};
  health_.moved_aside = to->string();
  return true;
}

void storage_writer::append_own(std::string what, std::string detail) {
  auto item = make_item({.kind = audit_kind::gateway,
                         .at = wall_now(),
                         .who = "gateway",
                         .what = std::move(what),
                         .outcome = "success",
                         .detail = std::move(detail)});
  rows_waiting_.fetch_add(1);  // always taken: these rows say what happened to the others
  bytes_waiting_.fetch_add(item->bytes);
  pending_.push_back(std::move(item));
}

/// Lets the first `count` items go and then tells those who wait for them.
void storage_writer::forget(std::size_t count, stored<> const& answer) {
  auto const end = pending_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<item_ptr> gone{std::make_move_iterator(pending_.begin()), std::make_move_iterator(end)};
  pending_.erase(pending_.begin(), end);
  for (auto const& item : gone) {
    if (item->has_row()) release(*item);
    if (item->then) item->then(answer);
  }
}

void storage_writer::succeeded() {
  retry_after_ = {};
  auto const dropped = rows_dropped_.load();
  if (dropped > dropped_told_) {
    append_own("rows_lost", std::to_string(dropped - dropped_told_) + " rows could not be kept");
    dropped_told_ = dropped;
  }
  bool again = false;
  {
    std::lock_guard const lock{mutex_};
    health_.ok = true;
    again = health_.failing_since.has_value();
    health_.failing_since.reset();
    health_.fault.reset();
    health_.flushed_at = wall_now();
    tried_ = true;
  }
  loaded_.notify_all();
  if (again && config_.told) config_.told({});
}

void storage_writer::failed(storage_error const& e) {
  last_error_ = e;
  retry_after_ =
      retry_after_ == duration{} ? config_.retry_first : std::min(retry_after_ * 2, config_.retry_most);
  attempt_at_ = clock::now() + retry_after_;
  note_error(e.message);
  {
    std::lock_guard const lock{mutex_};
    health_.ok = false;
    if (!health_.failing_since) health_.failing_since = wall_now();
    health_.fault = e.fault;
    tried_ = true;
  }
  loaded_.notify_all();
  answer_waiters(e);
}

void storage_writer::note_error(std::string const& message) {
  bool is_new = false;
  {
    std::lock_guard const lock{mutex_};
    is_new = !health_.failing_since || health_.last_error != message;
    health_.last_error = message;
  }
  if (is_new && config_.told) config_.told(message);
}

/// Whoever waits hears now; a row stays, a barrier has done its duty.
void storage_writer::answer_waiters(storage_error const& e) {
  std::vector<storage::done> waiting;
  for (auto const& item : pending_) {
    if (item->then) waiting.push_back(std::exchange(item->then, nullptr));
  }
  std::erase_if(pending_, [](auto const& item) { return !item->has_row(); });
  for (auto const& then : waiting) then(unexpected<storage_error>{e});
}

void storage_writer::finish() {
  queue_.close(pending_);
  for (;;) {
    attempt();  // also without rows: the last counts
    std::unique_lock lock{mutex_};
    bool const hopeless = health_.fault == storage_fault::claimed;
    if (health_.ok || hopeless || clock::now() >= close_by_) break;
    woken_.wait_until(lock, std::min(close_by_, attempt_at_), [] { return false; });
  }
  auto const rows = std::ranges::count_if(pending_, [](auto const& item) { return item->has_row(); });
  rows_dropped_ += static_cast<std::uint64_t>(rows);
  forget(pending_.size(), unexpected<storage_error>{{storage_fault::closed, "the writer has ended"}});
  session_.reset();
  std::lock_guard const lock{mutex_};
  health_.ok = false;
  health_.last_error = "closed";
}

}  // namespace halfopen::gateway
