#include "busroot/shell.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <string_view>
#include <utility>

#include "busroot/journal.hpp"
#include "busroot/log_source.hpp"

namespace starbus::busroot {

Shell::Shell(daemon::LinkShell& links, daemon::StateDirectory& state, daemon::RateLimited& limited,
             Events events)
    : LinkedShell(links), state_(state), limited_(limited), events_(std::move(events)) {}

Result<> Shell::allow_host(const std::string& key, const std::string& host) {
  return allowed_.check(key, host);
}

bus::HostRights Shell::rights_of(const std::string& host) {
  const auto found = rights_.find(host);
  if (found != rights_.end()) return found->second;
  // Without CURVE a host that is not listed may come in: its name proves nothing.
  bus::HostRights rights;
  rights.admin = bus::HostRights::Admin::read;
  return rights;
}

Result<> Shell::remember_hosts(const std::vector<std::string>& hosts) {
  auto stored = store_hosts(state_, hosts);
  if (!stored && limited_.allow("journal")) {
    spdlog::error("journal of hosts: cannot be written: {}", stored.error().to_string());
  }
  return stored;
}

Result<> Shell::remember_bounds(const std::vector<bus::GrantBound>& bounds) {
  auto stored = store_bounds(state_, bounds);
  if (!stored && limited_.allow("bounds")) {
    spdlog::error("numbers of grants: cannot be reserved: {}", stored.error().to_string());
  }
  return stored;
}

void Shell::answer_query(const bus::Query& query) {
  events_.query(query);
}

void Shell::on_answer(const bus::Answer& answer) {
  events_.answer(answer);
}

void Shell::log(bus::RouterShell::Level level, const std::string& text) {
  if (level == bus::RouterShell::Level::warning) {
    const LogSource source = log_source(text);
    const bool allowed =
        source.stranger ? limited_.allow_stranger(source.name) : limited_.allow(source.name);
    if (!allowed) return;
  }
  daemon::log_router_line(level, text);
}

}  // namespace starbus::busroot
