#include "daemon/admin/router_admin.hpp"

#include "bus/io/clock.hpp"
#include "daemon/admin/router_report.hpp"

namespace starbus::daemon {

RouterAdmin::RouterAdmin(const bus::Router& router, DaemonContext& context)
    : context_(context), started_(bus::io::boot_now()), routes_(context.admin) {
  routes_.add("/status", [this](const Request&) { return status(); });
  routes_.add("/links", [this](const Request&) { return links(); });
  routes_.add("/topology", [this](const Request&) { return topology(); });
  routes_.add("/names", [this](const Request& request) { return names(request); });
  routes_.add("/route", [this](const Request& request) { return route(request); });
  routes_.add("/failures",
              [&router](const Request& request) { return failures_response(router, request); });
  context.admin.get_async(kAtRoute, [this](const Request& request, const Reply& reply) {
    thread_.check();
    pass_on(request, reply);
  });
}

bus::Time RouterAdmin::uptime() const {
  return bus::io::boot_now() - started_;
}

}  // namespace starbus::daemon
