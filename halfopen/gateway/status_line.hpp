#pragma once

#include <string>

namespace halfopen::gateway {

/// Appends "HTTP/1.1 503 Service Unavailable" and its line end.
void append_status_line(std::string& out, int status);

}  // namespace halfopen::gateway
