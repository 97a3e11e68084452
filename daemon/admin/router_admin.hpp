#pragma once

#include <string>

#include "base/loop_thread.hpp"
#include "bus/core/routers/router.hpp"
#include "daemon/admin/at_route.hpp"
#include "daemon/admin/query_queue.hpp"
#include "daemon/main_loop.hpp"

namespace starbus::daemon {

/// The admin routes that both routers have, for the daemon's own socket and for other daemons that
/// ask over the bus; busd and busroot derive from it and say what is theirs. Belongs to the
/// loop's thread; router and context are not owned and outlive it.
class RouterAdmin {
 public:
  RouterAdmin(const RouterAdmin&) = delete;
  RouterAdmin& operator=(const RouterAdmin&) = delete;

  /// Answers a question of another daemon, later, in the role that it came with.
  void answer(const bus::Query& query, const Reply& reply) {
    thread_.check();
    routes_.answer(QueryQueue::From::bus, query.path, caller_of(query), reply);
  }
  static AtCaller caller_of(const bus::Query& query) {
    return {query.role, "a caller at host " + query.from_host};
  }

 protected:
  RouterAdmin(const bus::Router& router, DaemonContext& context);
  ~RouterAdmin() = default;

  virtual Response status() const = 0;
  virtual Response links() const = 0;
  virtual Response topology() const = 0;
  virtual Response names(const Request& request) const = 0;
  virtual Response route(const Request& request) const = 0;
  /// Answers a request for another daemon, kAtRoute; perhaps later.
  virtual void pass_on(const Request& request, const Reply& reply) = 0;

  /// Answers a path below /at/ that names this daemon itself.
  void answer_here(const AtRequest& at, const Request& request, const Reply& reply) {
    routes_.answer(QueryQueue::From::here, at.path, {request.role, "the caller"}, reply);
  }
  bus::Time uptime() const;

  const LoopThread thread_;
  DaemonContext& context_;

 private:
  const bus::Time started_;
  QueryQueue queue_;
  SharedRoutes routes_;
};

}  // namespace starbus::daemon
