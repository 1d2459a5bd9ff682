#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <halfopen/base/becomes_true_fixture.hpp>
#include <halfopen/base/temporary_folder_fixture.hpp>
#include <halfopen/gateway/storage.hpp>
#include <halfopen/gateway/storage_database.hpp>

/// What the storage tests share: a folder that goes away, raw SQL beside the code under test, and waits that
/// end when something is true, with a limit that only a hang reaches.
namespace halfopen::gateway::testing {

using namespace std::chrono_literals;

/// Runs `sql` on the file as any other program would.
void run_sql(std::filesystem::path const& file, std::string const& sql);
[[nodiscard]] std::int64_t sql_number(std::filesystem::path const& file, std::string const& sql);
[[nodiscard]] std::string sql_text(std::filesystem::path const& file, std::string const& sql);

/// Starts something that answers by callback and waits for the answer.
template <class T>
T answer_of(std::function<void(std::function<void(T)>)> const& start) {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<T> answer;
  start([&](T t) {
    std::lock_guard const lock{mutex};
    answer.emplace(std::move(t));
    changed.notify_all();
  });
  std::unique_lock lock{mutex};
  if (!changed.wait_for(lock, long_enough, [&] { return answer.has_value(); })) {
    ADD_FAILURE() << "no answer came";
    std::abort();  // the callback would write into what is gone
  }
  return std::move(*answer);
}

[[nodiscard]] stored<> flush(storage& s);
[[nodiscard]] stored<> record_durably(storage& s, audit_event e);
[[nodiscard]] stored<audit_page> read(storage& s, audit_query q = {});
[[nodiscard]] stored<transition_page> read(storage& s, transition_query q);

[[nodiscard]] audit_event some_event(std::string what = "invoke");

/// A config with short times on a file in `folder`.
[[nodiscard]] storage_config quick_config(temporary_folder const& folder);

}  // namespace halfopen::gateway::testing
