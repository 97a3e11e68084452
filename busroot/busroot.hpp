#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/core/routers/root_router.hpp"
#include "busroot/admin.hpp"
#include "busroot/settings.hpp"
#include "busroot/shell.hpp"
#include "daemon/main_loop.hpp"
#include "daemon/router_shell.hpp"

namespace starbus::busroot {

/// The daemon in the middle: RootRouter of bus/core with its sockets, its two files and its admin
/// port. run_daemon drives it, on one thread. It fails at the start, when it cannot store its term
/// or listen, and later only when it cannot store its list of hosts.
class Busroot final : public daemon::Daemon {
 public:
  ~Busroot() override;
  void configure(daemon::ConfigReader& reader) override;
  Result<> start(daemon::DaemonContext& context) override;
  /// Applies the list of hosts; sessions of hosts that left it end.
  Result<> reload() override;
  void drain(std::function<void()> done) override;
  std::string status() const override;
  bool healthy() const override { return router_ && !router_->in_grace(); }

 private:
  Result<> listen();

  Settings fresh_;     // as configure() read them
  Settings settings_;  // in force
  daemon::DaemonContext* context_ = nullptr;
  std::optional<daemon::LinkShell> links_;
  std::unique_ptr<Shell> shell_;
  std::unique_ptr<bus::RootRouter> router_;
  std::unique_ptr<Admin> admin_;
  std::vector<std::unique_ptr<bus::io::Listener>> listeners_;
  std::unique_ptr<boost::asio::steady_timer> drain_timer_;
};

}  // namespace starbus::busroot
