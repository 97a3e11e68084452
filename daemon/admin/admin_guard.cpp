#include "daemon/admin/admin_guard.hpp"

#include <boost/asio/ip/address.hpp>
#include <nlohmann/json.hpp>

namespace starbus::daemon {

namespace http = boost::beast::http;

namespace {

// "localhost", or an address; each with or without a port.
bool names_this_host(std::string_view host) {
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  boost::system::error_code error;
  boost::asio::ip::make_address(std::string(host), error);
  return host == "localhost" || !error;
}

}  // namespace

Refusal guard(const http::request<http::string_body>& message, bool allow_remote) {
  const auto host = message.find(http::field::host);
  if (!allow_remote && host != message.end() &&
      !names_this_host({host->value().data(), host->value().size()})) {
    return Response::error(403, "Host: not a name of this host");
  }
  if (message.method() == http::verb::post && message.count(http::field::origin) > 0) {
    return Response::error(403, "Origin: web sites may not change anything here");
  }
  return std::nullopt;
}

Response not_on_this_port(const std::string& path, const AdminConfig& config) {
  return Response::error(
      403, path +
               ": this port serves /metrics and /healthz and nothing else; the rest is at the "
               "admin socket: curl --unix-socket " +
               config.socket + " http://localhost" + path + ", or bustop --admin unix://" +
               config.socket);
}

std::string methods_of(const AdminShared::Routes& routes) {
  std::string methods = routes.get || routes.stream ? "GET, HEAD" : "";
  if (routes.post) methods.append(methods.empty() ? "POST" : ", POST");
  return methods;
}

Response no_such_path(std::string_view path,
                      const std::map<std::string, AdminShared::Routes, std::less<>>& routes) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [name, route] : routes) {
    nlohmann::json row = {{"path", name}, {"methods", methods_of(route)}};
    // The role of GET; POST needs operate.
    if (route.get || route.stream) row["role"] = name_of(route.role);
    list.push_back(std::move(row));
  }
  return Response::json({{"error", "not_found"},
                         {"detail", std::string("no such path: ").append(path)},
                         {"routes", std::move(list)}},
                        404);
}

Response wrong_method(const AdminShared::Routes& routes) {
  const std::string allowed = methods_of(routes);
  Response response = Response::error(405, "this path allows " + allowed);
  response.headers.emplace_back("Allow", allowed);
  return response;
}

void set_common_fields(http::fields& fields, const std::string& content_type) {
  fields.set(http::field::content_type, content_type);
  fields.set(http::field::cache_control, "no-store");
  fields.set("X-Content-Type-Options", "nosniff");
}

}  // namespace starbus::daemon
