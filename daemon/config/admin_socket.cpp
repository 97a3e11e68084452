#include "daemon/config/admin_socket.hpp"

#include <cstdlib>

#include "bus/io/endpoint.hpp"

namespace starbus::daemon {

std::string admin_socket_beside(const std::vector<std::string>& endpoints) {
  constexpr std::string_view kSuffix = ".sock";
  for (const std::string& text : endpoints) {
    const auto endpoint = bus::io::parse_endpoint(text);
    if (!endpoint || endpoint->scheme != bus::io::Scheme::unix_socket) continue;
    std::string path = endpoint->path;
    if (path.ends_with(kSuffix)) path.resize(path.size() - kSuffix.size());
    path += "-admin.sock";
    return bus::io::parse_endpoint("unix://" + path) ? path : "";
  }
  return {};
}

std::string admin_url_of_environment() {
  if (const char* const admin = std::getenv("STARBUS_ADMIN"); admin != nullptr && *admin != '\0') {
    return admin;
  }
  const char* const busd = std::getenv("STARBUS_BUSD");
  const std::string path = busd == nullptr ? "" : admin_socket_beside({busd});
  return path.empty() ? kDefaultAdminUrl : "unix://" + path;
}

}  // namespace starbus::daemon
