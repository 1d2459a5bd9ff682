#include "bench/compile_time.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "bench/two_threads.hpp"

namespace halfopen::bench {
namespace {

double children_cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  auto const seconds = [](timeval t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class scratch_file {
 public:
  explicit scratch_file(std::string const& text)
      : path_{"/tmp/halfopen_bench_" + std::to_string(getpid()) + ".cpp"} {
    std::ofstream{path_} << text;
  }
  ~scratch_file() {
    for (char const* ending : {"", ".o", ".d"}) unlink((path_ + ending).c_str());
  }
  scratch_file(scratch_file const&) = delete;
  scratch_file& operator=(scratch_file const&) = delete;
  [[nodiscard]] std::string const& path() const { return path_; }

 private:
  std::string path_;
};

// As a release build would: optimised, to an object file.
double compile_seconds(scratch_file const& file) {
  std::string const command = HALFOPEN_CXX " -std=c++20 -O2 -I" HALFOPEN_SOURCE " -MD -MF " + file.path() +
                              ".d -c " + file.path() + " -o " + file.path() + ".o";
  std::vector<double> seen;
  for (int i = 0; i < 5; ++i) {
    double const before = children_cpu_seconds();
    if (std::system(command.c_str()) != 0) return 1e9;
    seen.push_back(children_cpu_seconds() - before);
  }
  return median(seen);
}

}  // namespace

include_cost cost_of_including(std::string const& header) {
  double const empty = compile_seconds(scratch_file{"int main() {}\n"});
  scratch_file const file{"#include <" + header + ">\nint main() {}\n"};
  include_cost cost{compile_seconds(file) - empty, false};
  std::ifstream list{file.path() + ".d"};
  std::string const pulled_in{std::istreambuf_iterator<char>{list}, {}};
  cost.has_asio = pulled_in.find("asio") != std::string::npos;
  return cost;
}

}  // namespace halfopen::bench
