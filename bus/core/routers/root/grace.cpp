#include "bus/core/routers/root/grace.hpp"

#include <algorithm>
#include <cassert>

#include "bus/core/wire/name.hpp"

namespace starbus::bus {

Grace::Grace(RootState& root, MessageRoutes& routes, WatchPublisher& watches)
    : root_(root), routes_(routes), watches_(watches), started_(root.links.now()) {
  for (const std::string& host : root.config.journaled) {
    if (check_node_name(host)) journal_.insert(host);
  }
  awaited_ = journal_;
  root.grace = !awaited_.empty();
}

Result<> Grace::admit(const std::string& host) {
  if (!journal_.insert(host).second) return {};
  auto stored = root_.shell.remember_hosts({journal_.begin(), journal_.end()});
  if (!stored) journal_.erase(host);
  return stored;
}

void Grace::lost(const std::string& host) {
  if (!awaited_.contains(host) && journal_.erase(host) != 0) journal_changed_ = true;
}

bool Grace::end_if_due() {
  if (!root_.grace || !may_end()) return false;
  end();
  return true;
}

bool Grace::may_end() const {
  const auto has_pending = [](const auto& item) {
    return std::ranges::any_of(item.second->processes,
                               [](const auto& process) { return process.second->pending; });
  };
  if (awaited_.empty() && std::ranges::none_of(root_.hosts, has_pending)) return true;
  // After a lease, a host that is still away has fenced itself, or will when it wakes.
  const Time age = root_.links.now() - started_;
  if (age < root_.config.lease) return false;
  // A busd that is here and still collects its processes gets one more lease; so grace is bounded.
  if (age >= 2 * root_.config.lease) return true;
  for (const auto& [id, host] : root_.hosts) {
    if (host->session != nullptr && awaited_.contains(host->name)) return false;
  }
  return true;
}

void Grace::end() {
  assert(root_.grace);
  root_.grace = false;
  for (const std::string& name : awaited_) {
    root_.links.log(RouterShell::Level::warning,
                    "host " + name + ": not back in time, no longer waited for");
    journal_.erase(name);
    journal_changed_ = true;
  }
  awaited_.clear();
  root_.links.log(RouterShell::Level::info, "grace ended: " + std::to_string(root_.hosts.size()) +
                                                " hosts, " +
                                                std::to_string(root_.directory.size()) + " names");
  routes_.release_all_held();
  watches_.serve();
}

/// A busroot that waits for a removed host only loses time, so a failed attempt can be repeated.
void Grace::store() {
  if (!journal_changed_) return;
  journal_changed_ = !root_.shell.remember_hosts({journal_.begin(), journal_.end()});
}

}  // namespace starbus::bus
