#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/admin/admin_server.hpp"
#include "daemon/admin/query_queue.hpp"

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

/// The role in which a question over the bus is answered, and who asked it, for refusals.
struct AtCaller {
  AdminRole role = AdminRole::observe;
  std::string name;  // "host a"
};

/// Answers of other daemons as HTTP: 502 for a status that HTTP does not have.
Response response_of(const bus::Answer& answer);
/// The answer to a question of another daemon.
bus::Answer answer_to(const bus::Query& query, const Response& response);

/// The routes of a daemon that other daemons may ask for over the bus: they get the same answers as
/// callers of its admin socket. Answers cost the loop time, so each waits for its turn. The server
/// and the queue are not owned. Belongs to the thread of the loop.
class SharedRoutes {
 public:
  using Route = std::function<Response(const Request&)>;

  SharedRoutes(AdminServer& server, QueryQueue& queue) : server_(server), queue_(queue) {}
  /// Adds a GET route to the admin server and to these routes.
  void add(const std::string& path, AdminRole role, Route route);
  /// Answers a path with its query string, later.
  void answer(QueryQueue::From from, const std::string& path_and_query, const AtCaller& caller,
              const Reply& reply);

 private:
  struct Entry {
    AdminRole role;
    Route route;
  };

  AdminServer& server_;
  QueryQueue& queue_;
  std::map<std::string, Entry, std::less<>> routes_;
};

}  // namespace starbus::daemon
