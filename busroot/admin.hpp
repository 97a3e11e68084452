#pragma once

#include <functional>
#include <map>
#include <string>

#include "bus/core/routers/root_router.hpp"
#include "daemon/admin/router_admin.hpp"
#include "daemon/report/topology.hpp"

namespace starbus::busroot {

/// The admin routes of busroot (docs/operate/admin-api.md), for its admin socket and for busds that
/// ask over the bus. Belongs to the loop's thread; router and context outlive it. Every route
/// costs a few milliseconds at most, whatever the size of the directory: listings come in pages.
class Admin final : public daemon::RouterAdmin {
 public:
  static constexpr std::size_t kMostRows = 1000;      // of a page of names
  static constexpr std::size_t kMostQuestions = 256;  // sent to hosts and not answered

  /// `flush` sends what the router has queued.
  Admin(bus::RootRouter& router, daemon::DaemonContext& context, std::function<void()> flush);
  /// A host's answer to a request of this busroot.
  void on_answer(const bus::Answer& answer);

 private:
  void pass_on(const daemon::Request& request, const daemon::Reply& reply) override;
  report::HostRow row_of_host(const bus::RootHost& host,
                              const std::vector<bus::LinkStatus>& links) const;

  daemon::Response status() const override;
  daemon::Response links() const override;
  daemon::Response topology() const override;
  daemon::Response names(const daemon::Request& request) const override;
  daemon::Response route(const daemon::Request& request) const override;

  bus::RootRouter& router_;
  std::function<void()> flush_;
  std::uint64_t asked_ = 0;
  std::map<std::uint64_t, daemon::Reply> questions_;  // by number, oldest first
};

/// Counters and gauges of the router; it must outlive the last scrape.
void add_metrics(daemon::Metrics& metrics, const bus::RootRouter& router);

}  // namespace starbus::busroot
