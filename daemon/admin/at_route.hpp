#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/admin/admin_server.hpp"

namespace starbus::bus::daemon {

/// busroot's name wherever a host could be meant, so no host may have it.
inline constexpr std::string_view kRootTarget = "root";

/// /at/TARGET/PATH?QUERY of the admin API: a question for another daemon, carried over the bus.
struct AtRequest {
  std::string target;  // a host, or kRootTarget
  std::string path;    // with its query, encoded again
};

inline constexpr const char* kAtRoute = "/at/";

/// bad_name if it is not of that form, too_large if the path does not fit a query.
Result<AtRequest> parse_at(const Request& request);

/// The routes of a daemon that answer at once: those who ask over the bus get what clients of its
/// admin server get. The server is not owned. Thread of the loop.
class SharedRoutes {
 public:
  using Route = std::function<Response(const Request&)>;

  explicit SharedRoutes(AdminServer& server) : server_(server) {}
  void add(const std::string& path, Route route);
  /// The answer to a path with its query string.
  Response answer(const std::string& path_and_query) const;

 private:
  AdminServer& server_;
  std::map<std::string, Route, std::less<>> routes_;
};

}  // namespace starbus::bus::daemon
