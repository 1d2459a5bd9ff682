#include <cstdlib>
#include <exception>
#include <iostream>

#include <unistd.h>

#include <halfopen/app/run.hpp>

int main(int argc, char** argv) {
  using namespace halfopen::app;
  bool const out = ::isatty(STDOUT_FILENO) == 1;
  bool const err = ::isatty(STDERR_FILENO) == 1;
  char const* const no_color = std::getenv("NO_COLOR");
  bool const colours = no_color == nullptr || *no_color == '\0';
  terminal t{std::cout,      std::cerr,      out,       err,
             colours && out, colours && err, &std::cin, ::isatty(STDIN_FILENO) == 1};
  try {
    auto const code = run({argv + (argc > 0 ? 1 : 0), argv + argc}, t);
    return static_cast<int>(std::cout.flush() ? code : exit_code::failed);
  } catch (std::exception const& e) {
    complain(t, e.what());
    return static_cast<int>(exit_code::failed);
  }
}
