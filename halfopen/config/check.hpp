#pragma once

#include <string>
#include <vector>

#include <halfopen/config/gateway_config.hpp>
#include <halfopen/config/reader.hpp>

namespace halfopen::config {

/// What is wrong between settings that are each well-formed: names that nothing defines, routes that are
/// never reached, one port twice, a breaker whose numbers do not fit each other. `places` knows where each
/// stands.
void check_references(gateway_config const& c, reader const& places, std::string const& file,
                      std::vector<diagnostic>& problems);

/// What is allowed and most likely not meant.
void check_sense(gateway_config const& c, reader const& places, std::string const& file,
                 std::vector<diagnostic>& problems);

}  // namespace halfopen::config
