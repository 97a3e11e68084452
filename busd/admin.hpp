#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bus/core/routers/host_router.hpp"
#include "busd/tail.hpp"
#include "daemon/admin/router_admin.hpp"
#include "daemon/report/mail_status.hpp"
#include "daemon/router_shell.hpp"

namespace starbus::busd {

/// The admin routes of busd (docs/operate/admin-api.md), for its admin socket and for other daemons
/// that ask over the bus. Belongs to the loop's thread; router and context outlive it.
class Admin final : public daemon::RouterAdmin {
 public:
  struct Facts {
    std::string host;
    std::string version;
    std::function<std::string()> uplink_endpoint;
    std::function<Error()> uplink_error;  // the latest, of a session or an attempt
    std::function<std::string()> state;
    std::function<std::optional<report::MailStatus>()> mail;
    std::function<std::vector<daemon::LinkShell::LoopUse>()> loop_use;
    /// Answers a path later, or now, if it is one of those; false otherwise.
    std::function<bool(const std::string& path_and_query, const daemon::AtCaller&,
                       const daemon::Reply&)>
        later;
  };
  Admin(bus::HostRouter& router, daemon::DaemonContext& context, Facts facts);

 private:
  void pass_on(const daemon::Request& request, const daemon::Reply& reply) override;
  void trace(const daemon::Request& request, const daemon::Reply& reply);

  daemon::Response status() const override;
  daemon::Response links() const override;
  daemon::Response topology() const override;
  daemon::Response names(const daemon::Request& request) const override;
  daemon::Response route(const daemon::Request& request) const override;
  std::string kind_of(const bus::LinkStatus& link) const;

  bus::HostRouter& router_;
  Facts facts_;
  Tails tails_;
};

/// Counters and gauges of the router; it must outlive the last scrape.
void add_metrics(daemon::Metrics& metrics, bus::HostRouter& router);

}  // namespace starbus::busd
