#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/admin/admin_server.hpp"

namespace starbus::daemon {

/// The target that means busroot. No host may have this name.
inline constexpr std::string_view kRootTarget = "root";

/// Admin requests for another daemon, /at/TARGET/PATH?QUERY, which the bus carries.
struct AtRequest {
  std::string target;  // a host, or kRootTarget
  std::string path;    // with its query, encoded again
};

/// The path under which requests for other daemons begin.
inline constexpr const char* kAtRoute = "/at/";

/// bad_name if it does not have that form, too_large if the path does not fit a query.
Result<AtRequest> parse_at(const Request& request);

/// The routes of a daemon that answer at once: requests over the bus get the same answers as
/// clients of its admin server. The server is not owned. Belongs to the thread of the loop.
class SharedRoutes {
 public:
  using Route = std::function<Response(const Request&)>;

  explicit SharedRoutes(AdminServer& server) : server_(server) {}
  /// Adds a GET route to the admin server and to these routes.
  void add(const std::string& path, Route route);
  /// The answer to a path with its query string.
  Response answer(const std::string& path_and_query) const;

 private:
  AdminServer& server_;
  std::map<std::string, Route, std::less<>> routes_;
};

}  // namespace starbus::daemon
