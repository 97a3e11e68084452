#pragma once

#include <string>

#include "base/loop_thread.hpp"
#include "bus/core/routers/router.hpp"
#include "daemon/admin/at_route.hpp"
#include "daemon/main_loop.hpp"

namespace starbus::daemon {

/// The admin routes that both routers have, for the daemon's own HTTP port and for other daemons
/// that ask over the bus; busd and busroot derive from it and say what is theirs. Belongs to the
/// loop's thread; router and context are not owned and outlive it.
class RouterAdmin {
 public:
  RouterAdmin(const RouterAdmin&) = delete;
  RouterAdmin& operator=(const RouterAdmin&) = delete;

  /// The answer to a path with its query string.
  Response answer(const std::string& path_and_query) const {
    thread_.check();
    return routes_.answer(path_and_query);
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

  bus::Time uptime() const;

  const LoopThread thread_;
  DaemonContext& context_;

 private:
  const bus::Time started_;
  SharedRoutes routes_;
};

}  // namespace starbus::daemon
