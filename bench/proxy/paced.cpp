// Sends requests at a fixed rate over 64 connections, whether or not the answers keep up, and tells how long
// each answer took from the moment its request was due. proxy_paced PORT SIZE RATE SECONDS -> {"p50_us": N,
// "p99_us": N}
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <halfopen/net/http_client.hpp>

namespace {

using namespace halfopen;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

constexpr int connections = 64;

std::vector<double> measure(std::uint16_t port, std::string const& request, clock_type::time_point first,
                            clock_type::duration every, clock_type::time_point end) {
  std::vector<double> took_us;
  net::http_client client{net::endpoint::loopback(port)};
  for (auto due = first; due < end; due += every) {
    std::this_thread::sleep_until(due);
    if (!client.send_raw(request, 10s)) std::exit(1);
    took_us.push_back(std::chrono::duration<double, std::micro>(clock_type::now() - due).count());
  }
  return took_us;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  auto const port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  std::string const request = "GET /" + std::string{argv[2]} + " HTTP/1.1\r\nHost: a\r\n\r\n";
  auto const every = std::chrono::nanoseconds{1s} * connections / std::atoi(argv[3]);
  auto const start = clock_type::now() + 100ms;
  auto const end = start + std::chrono::seconds{std::atoi(argv[4])};
  std::vector<double> all;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int i = 0; i < connections; ++i) {
    threads.emplace_back([&, i] {
      auto const mine = measure(port, request, start + every * i / connections, every, end);
      std::lock_guard const lock{mutex};
      all.insert(all.end(), mine.begin(), mine.end());
    });
  }
  for (auto& t : threads) t.join();
  std::sort(all.begin(), all.end());
  auto const at = [&](double share) {
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  };
  std::printf("{\"p50_us\": %.0f, \"p99_us\": %.0f}\n", at(0.5), at(0.99));
}
