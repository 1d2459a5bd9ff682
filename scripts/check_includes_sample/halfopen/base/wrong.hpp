#pragma once

// Runs the wrong way, for the test that such a line is found.
#include <halfopen/policy/layer.hpp>
