#include <halfopen/base/json_text.hpp>
#include <halfopen/gateway/status_line.hpp>
#include <halfopen/net/reason_phrase.hpp>

namespace halfopen::gateway {

void append_status_line(std::string& out, int status) {
  out += "HTTP/1.1 ";
  append_number(out, status);
  out += ' ';
  out += net::reason_phrase(status);
  out += "\r\n";
}

}  // namespace halfopen::gateway
