#include <stdexcept>
#include <string>
#include <utility>

#include <pthread.h>

#include <halfopen/check/crew.hpp>

namespace halfopen::check {

struct deep_thread::handle {
  std::function<void()> run;
  pthread_t thread{};

  static void* start(void* given) {
    static_cast<handle*>(given)->run();
    return nullptr;
  }
};

deep_thread::deep_thread(std::size_t stack_bytes, std::function<void()> run)
    : handle_{std::make_unique<handle>(std::move(run))} {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  bool const started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                       pthread_create(&handle_->thread, &attributes, handle::start, handle_.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (!started)
    throw std::runtime_error("no memory for a stack of " + std::to_string(stack_bytes) + " bytes");
}

deep_thread::~deep_thread() { pthread_join(handle_->thread, nullptr); }

crew::~crew() {
  {
    std::lock_guard const lock{mutex_};
    job_ = nullptr;
    ++jobs_;
    wanted_ = size();
  }
  begun_.notify_all();
}

void crew::grow(unsigned size) {
  failed_.resize(size);
  while (this->size() < size) {
    try {
      threads_.push_back(
          std::make_unique<deep_thread>(stack_bytes_, [this, number = this->size()] { serve(number); }));
    } catch (std::runtime_error const&) {
      return;
    }
  }
}

void crew::run(unsigned count, std::function<void(unsigned)> const& job) {
  if (count <= 1) return job(0);
  {
    std::lock_guard const lock{mutex_};
    job_ = &job;
    ++jobs_;
    wanted_ = count;
    busy_ = count - 1;
  }
  begun_.notify_all();
  do_part(0);
  std::unique_lock lock{mutex_};
  done_.wait(lock, [this] { return busy_ == 0; });
  for (auto& f : failed_) {
    if (f) std::rethrow_exception(std::exchange(f, nullptr));
  }
}

void crew::do_part(unsigned number) {
  try {
    (*job_)(number);
  } catch (...) {
    failed_[number] = std::current_exception();
  }
}

void crew::serve(unsigned number) {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock{mutex_};
      begun_.wait(lock, [&] { return jobs_ != seen; });
      seen = jobs_;
      if (number >= wanted_) continue;
      if (job_ == nullptr) return;
    }
    do_part(number);
    std::lock_guard const lock{mutex_};
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace halfopen::check
