#include <fstream>

#include <halfopen/app/admin_client.hpp>
#include <halfopen/config/load.hpp>
#include <halfopen/config/scalars.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;

constexpr duration answer_limit = 5s;
constexpr std::size_t token_bytes_max = 4096;

unexpected<admin_fault> fault(std::string what, exit_code code) {
  return unexpected<admin_fault>{admin_fault{std::move(what), code}};
}

// Fills in what was not given from the gateway's file.
std::string complete(admin_target& t) {
  if (!t.address.empty() && !t.token_file.empty()) return "";
  if (!t.config_given && !std::filesystem::exists(t.config))
    return "no " + t.config.string() +
           " here; say where the gateway is with --config, or with --admin and --token-file";
  auto const read = config::load(t.config);
  if (!read) return to_string(read.error().front());
  auto const& admin = read->config.admin;
  if (t.address.empty()) t.address = config::codec<config::listen_address>::print(admin.listen);
  if (t.token_file.empty()) t.token_file = admin.token_file;
  return "";
}

std::string first_line(std::filesystem::path const& file) {
  std::ifstream in{file};
  std::string line(token_bytes_max, '\0');
  in.getline(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(line.find_first_of(std::string_view{"\0\r\n ", 4}));
  return line;
}

}  // namespace

admin_client::admin_client(net::endpoint at, std::string token, std::string token_file)
    : address_{at.text()}, token_{std::move(token)}, token_file_{std::move(token_file)}, client_{at} {}

expected<admin_client, admin_fault> admin_client::make(admin_target const& target) {
  auto t = target;
  if (auto why = complete(t); !why.empty()) return fault(std::move(why), exit_code::usage);
  auto at = net::endpoint::parse(t.address);
  if (!at)
    return fault("\"" + t.address + "\" is not an address and a port, such as 127.0.0.1:9090",
                 exit_code::usage);
  if (at->port() == 0)
    return fault("the port of the admin API is any that was free; give the real one with --admin",
                 exit_code::usage);
  auto token = first_line(t.token_file);
  if (token.empty())
    return fault("no token in " + t.token_file.string() + "; the gateway writes it when it first starts",
                 exit_code::failed);
  return admin_client{*at, std::move(token), t.token_file.string()};
}

expected<std::string, admin_fault> admin_client::get(std::string const& path) {
  auto const reply = client_.send("GET", path, {{"Authorization", "Bearer " + token_}}, "", answer_limit);
  if (!reply && reply.error().why == net::io_errc::refused)
    return fault("no gateway answers at http://" + address_ + "; is it running?", exit_code::failed);
  if (!reply)
    return fault("no answer from http://" + address_ + path + ": " + std::string{name(reply.error().why)},
                 exit_code::failed);
  if (reply->status == 401 || reply->status == 403)
    return fault("the gateway at http://" + address_ + " does not take the token in " + token_file_,
                 exit_code::failed);
  if (reply->status != 200)
    return fault("http://" + address_ + path + " answered " + std::to_string(reply->status),
                 exit_code::failed);
  return reply->body;
}

}  // namespace halfopen::app
