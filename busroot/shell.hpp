#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bus/core/routers/root_router.hpp"
#include "busroot/allow_list.hpp"
#include "daemon/rate_limited.hpp"
#include "daemon/router_shell.hpp"
#include "daemon/state_directory.hpp"

namespace starbus::busroot {

/// Serves the router's requests to this machine. Belongs to the loop's thread; nothing here calls
/// back into the router at once. An error of storing the list of hosts is returned: a restarted
/// busroot would not wait for a host whose names it had granted.
class Shell final : public daemon::LinkedShell<bus::RootShell> {
 public:
  struct Events {
    std::function<void(const bus::Query&)> query;    // at once; answered later
    std::function<void(const bus::Answer&)> answer;  // at once
    std::function<void(Error reason)> stop;
  };
  Shell(daemon::LinkShell& links, daemon::StateDirectory& state, daemon::RateLimited& limited,
        Events events);

  using Rights = std::map<std::string, bus::HostRights>;
  /// `rights` of the hosts of the list.
  void set_allow_list(AllowList list, Rights rights) {
    allowed_ = std::move(list);
    rights_ = std::move(rights);
  }
  const AllowList& allow_list() const { return allowed_; }

  Result<> allow_host(const std::string& key, const std::string& host) override;
  bus::HostRights rights_of(const std::string& host) override;
  Result<> remember_bounds(const std::vector<bus::GrantBound>& bounds) override;
  Result<> remember_hosts(const std::vector<std::string>& hosts) override;
  void answer_query(const bus::Query& query) override;
  void on_answer(const bus::Answer& answer) override;
  void log(bus::RouterShell::Level level, const std::string& text) override;

 private:
  daemon::StateDirectory& state_;
  daemon::RateLimited& limited_;
  Events events_;
  AllowList allowed_;
  Rights rights_;
};

}  // namespace starbus::busroot
