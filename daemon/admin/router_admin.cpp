#include "daemon/admin/router_admin.hpp"

#include "bus/io/clock.hpp"
#include "daemon/admin/router_report.hpp"

namespace starbus::daemon {

RouterAdmin::RouterAdmin(const bus::Router& router, DaemonContext& context)
    : context_(context),
      started_(bus::io::boot_now()),
      queue_(context.loop),
      routes_(context.admin, queue_) {
  routes_.add("/status", AdminRole::observe, [this](const Request&) { return status(); });
  routes_.add("/links", AdminRole::observe, [this](const Request&) { return links(); });
  routes_.add("/topology", AdminRole::observe, [this](const Request&) { return topology(); });
  routes_.add("/names", AdminRole::observe,
              [this](const Request& request) { return names(request); });
  routes_.add("/route", AdminRole::observe,
              [this](const Request& request) { return route(request); });
  routes_.add("/failures", AdminRole::observe,
              [&router](const Request& request) { return failures_response(router, request); });
  context.admin.get_async(kAtRoute, AdminRole::observe,
                          [this](const Request& request, const Reply& reply) {
                            thread_.check();
                            pass_on(request, reply);
                          });
}

bus::Time RouterAdmin::uptime() const {
  return bus::io::boot_now() - started_;
}

}  // namespace starbus::daemon
