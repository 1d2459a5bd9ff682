#include <halfopen/tla/source.hpp>

namespace halfopen::tla {

std::string to_string(source_range const& at) {
  if (!at.known()) return "(built in)";
  return at.file->path + ":" + std::to_string(at.begin.line) + ":" + std::to_string(at.begin.column);
}

}  // namespace halfopen::tla
