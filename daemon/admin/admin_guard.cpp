#include "daemon/admin/admin_guard.hpp"

#include <boost/asio/ip/address.hpp>
#include <nlohmann/json.hpp>
#include <span>

#include "base/same_secret.hpp"

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

/// Empty if the request has no such field.
std::string_view value_of(const AdminRequest& message, http::field name) {
  const auto found = message.find(name);
  if (found == message.end()) return {};
  return {found->value().data(), found->value().size()};
}

}  // namespace

Refusal guard(const AdminRequest& message, bool allow_remote) {
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

Refusal guard_page(const AdminRequest& message, const std::string& address) {
  const std::string_view host = value_of(message, http::field::host);
  const std::string local = "localhost" + address.substr(address.rfind(':'));
  if (host != address && host != local) {
    return Response::error(403, "Host: not the address of this port, " + address);
  }
  const bool by_a_page = message.count(http::field::origin) > 0;
  if (by_a_page && value_of(message, http::field::origin) != "http://" + std::string(host)) {
    return Response::error(403, "Origin: another web site, and no page of this port");
  }
  return std::nullopt;
}

bool has_key(const AdminRequest& message, std::string_view key) {
  constexpr std::string_view kScheme = "Bearer ";
  std::string_view shown = value_of(message, http::field::authorization);
  if (key.empty() || !shown.starts_with(kScheme)) return false;
  shown.remove_prefix(kScheme.size());
  return same_secret(std::as_bytes(std::span(shown)), std::as_bytes(std::span(key)));
}

Response key_missing() {
  Response response = Response::error(
      401, "Authorization: no key, or a wrong one; it is in the address that the program prints");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
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
