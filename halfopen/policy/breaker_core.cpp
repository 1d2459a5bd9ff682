#include <halfopen/policy/breaker_shell.hpp>

namespace halfopen {

template class breaker_core<std_runtime>;

}  // namespace halfopen
