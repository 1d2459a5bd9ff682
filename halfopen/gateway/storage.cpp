#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <halfopen/gateway/audit_field.hpp>
#include <halfopen/gateway/storage.hpp>
#include <halfopen/gateway/storage_reader.hpp>
#include <halfopen/gateway/storage_writer.hpp>

namespace halfopen::gateway {

// One thread for questions, so that a long one delays neither the writer nor a loop.
class storage::body {
 public:
  body(storage_config config, health_board& board)
      : config_{std::move(config)}, writer_{config_, board}, asker_{[this] { answer_questions(); }} {}

  ~body() { close(std::chrono::seconds{1}); }

  void close(duration limit) {
    writer_.close(limit);  // first: barriers that still wait become questions, or `closed`
    {
      std::lock_guard const lock{mutex_};
      closing_ = true;
    }
    asked_.notify_one();
    if (asker_.joinable()) asker_.join();
  }

  template <class Query, class Page>
  void read(Query q, std::function<void(stored<Page>)> then) {
    if (waiting_.fetch_add(1) >= config_.reads_waiting_max) {
      waiting_.fetch_sub(1);
      then(unexpected<storage_error>{{storage_fault::busy, "too many questions are waiting"}});
      return;
    }
    // behind what was recorded before; if that could not be written, what is in the file is the best answer
    writer_.flush([this, q = std::move(q), then = std::move(then)](stored<>) mutable {
      enqueue([this, q = std::move(q), then = std::move(then)](bool closed) {
        waiting_.fetch_sub(1);
        if (closed) return then(unexpected<storage_error>{{storage_fault::closed, "storage has ended"}});
        auto page = read(q);
        if (page) writer_.note_unreadable(page->problems);
        if (!page && page.error().fault == storage_fault::corrupt) writer_.suspect();
        then(std::move(page));
      });
    });
  }

  storage_writer& writer() noexcept { return writer_; }

 private:
  using question = std::function<void(bool closed)>;

  template <class Query>
  auto read(Query const& q) {
    auto const held = writer_.hold_file();
    return read_page(config_.file, q, config_.read_limit);
  }

  void enqueue(question ask) {
    {
      std::lock_guard const lock{mutex_};
      if (!closing_) {
        questions_.push_back(std::move(ask));
        asked_.notify_one();
        return;
      }
    }
    ask(true);
  }

  void answer_questions() {
    std::unique_lock lock{mutex_};
    for (;;) {
      asked_.wait(lock, [&] { return closing_ || !questions_.empty(); });
      if (questions_.empty()) return;
      auto const ask = std::move(questions_.front());
      questions_.pop_front();
      bool const closed = closing_;
      lock.unlock();
      ask(closed);
      lock.lock();
    }
  }

  storage_config const config_;
  storage_writer writer_;
  std::atomic<std::size_t> waiting_{0};
  std::mutex mutex_;
  std::condition_variable asked_;
  std::deque<question> questions_;
  bool closing_ = false;
  std::thread asker_;  // last: it uses everything above
};

storage::storage(storage_config config, health_board& board)
    : body_{std::make_unique<body>(std::move(config), board)} {}

storage::~storage() = default;

bool storage::wait_until_loaded(duration limit) { return body_->writer().wait_until_loaded(limit); }

bool storage::record(transition_event e) { return body_->writer().record(std::move(e)); }

bool storage::record(audit_event e) { return body_->writer().record(std::move(e)); }

void storage::record_durably(audit_event e, done then) {
  body_->writer().record_durably(std::move(e), std::move(then));
}

void storage::flush(done then) { body_->writer().flush(std::move(then)); }

void storage::read(audit_query q, std::function<void(stored<audit_page>)> then) {
  body_->read(std::move(q), std::move(then));
}

void storage::read(transition_query q, std::function<void(stored<transition_page>)> then) {
  body_->read(std::move(q), std::move(then));
}

storage_health storage::health() const { return body_->writer().health(); }

void storage::close(duration limit) { body_->close(limit); }

}  // namespace halfopen::gateway
