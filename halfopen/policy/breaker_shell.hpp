#pragma once

// The bodies of breaker_core. Only for the sources that instantiate it.

#include <halfopen/policy/breaker_core_calls.hpp>
#include <halfopen/policy/breaker_core_changes.hpp>
#include <halfopen/policy/breaker_core_lock.hpp>
#include <halfopen/policy/breaker_core_looks.hpp>
