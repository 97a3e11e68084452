/// The small decisions of the admin server that need no connection; only it includes this.
#pragma once

#include <spdlog/spdlog.h>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/admin/admin_connection.hpp"

namespace starbus::daemon {

using AdminRequest = boost::beast::http::request<boost::beast::http::string_body>;

/// The content type of a stream: lines of JSON.
inline constexpr const char* kStreamType = "application/x-ndjson";

/// Refuses requests that only a browser sends on behalf of a web site. The port is on loopback, but
/// so is the operator's browser: a site could post to it, or reach it under a name of its own that
/// resolves to 127.0.0.1.
Refusal guard(const AdminRequest& message, bool allow_remote);

/// The same at a PagePort: refuses every Host but the `address`
/// of the port ("127.0.0.1:9321", and localhost with this port), and every Origin but that page's.
Refusal guard_page(const AdminRequest& message, const std::string& address);
/// Whether the request has "Authorization: Bearer KEY". Takes as long for every wrong key of the
/// same length.
bool has_key(const AdminRequest& message, std::string_view key);
/// 401, for a request without the key.
Response key_missing();

/// 403 for every path but those that serve anybody: what the TCP port serves, and where the rest
/// is.
Response not_on_this_port(const std::string& path, const AdminConfig& config);

/// 404, with the paths that there are.
Response no_such_path(std::string_view path,
                      const std::map<std::string, AdminShared::Routes, std::less<>>& routes);
/// 405, with the methods of the path.
Response wrong_method(const AdminShared::Routes& routes);
/// "GET, HEAD"
std::string methods_of(const AdminShared::Routes& routes);
/// The fields that every response has.
void set_common_fields(boost::beast::http::fields& fields, const std::string& content_type);

/// Runs code of a route. An exception is a programming error of that route and becomes a 500: it
/// must not end the daemon.
template <class Function>
Refusal guarded(const Function& function) {
  std::string reason = "unknown exception";
  try {
    function();
    return std::nullopt;
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {
  }
  spdlog::error("admin route failed: {}", reason);
  return Response::error(500, reason);
}

}  // namespace starbus::daemon
