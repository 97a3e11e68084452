#include "bus/core/routers/root_router.hpp"

#include <algorithm>
#include <cassert>

#include "bus/core/sabotage.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

constexpr Time kHoldCheck = from_ms(500);

}  // namespace

RootRouter::RootRouter(RootShell& shell, Config config, Time now)
    : Router(shell, now), root_shell_(shell), config_(std::move(config)), started_(now) {
  assert(config_.term != 0);
  for (const std::string& host : config_.journaled) {
    if (check_node_name(host)) journal_.insert(host);
  }
  awaited_ = journal_;
  grace_ = !awaited_.empty() && !sabotaged(Sabotage::no_grace);
}

Result<> RootRouter::on_record(Link& link, Kind kind, ByteView payload) {
  if (!link.greeted) {
    if (kind == Kind::hello) return on_hello(link, payload);
    return Error{Errc::bad_bytes, std::string(name_of(kind)) + " before hello"};
  }
  return on_greeted_record(static_cast<Host&>(*link.attachment), kind, payload);
}

Result<> RootRouter::on_greeted_record(Host& host, Kind kind, ByteView payload) {
  switch (kind) {
    case Kind::data:
    case Kind::probe:
    case Kind::multicast:
    case Kind::ack:
    case Kind::posted:
    case Kind::nack:
      return on_message(host, kind, payload);
    case Kind::process_up:
      return on_process_up(host, payload);
    case Kind::table:
      return on_table(host, payload);
    case Kind::table_end:
      return on_table_end(host, payload);
    case Kind::process_dead:
      return on_process_dead(host, payload);
    case Kind::bind:
    case Kind::resume:
    case Kind::active:
    case Kind::unbind:
    case Kind::freed:
    case Kind::move:
    case Kind::attach:
    case Kind::reclaim:
      return on_request(host, kind, payload);
    case Kind::watch:
      return on_watch(host, payload);
    case Kind::unwatch:
      return on_unwatch(host, payload);
    case Kind::query:
      return on_query(host, payload);
    case Kind::answer:
      return on_answer(payload);
    case Kind::trace:
      if (host.session->minor < kTraceMinor) break;
      return on_trace(host, payload);
    case Kind::reset: {
      const auto reset = decode<Reset>(payload);
      if (!reset) return reset.error();
      const std::string why = Error{reset->reason, reset->detail}.to_string();
      end_link(*host.session, {Errc::closed, "its busd ended the session: " + why});
      return {};
    }
    default:
      break;
  }
  return Error{Errc::bad_bytes, "a busd does not send " + std::string(name_of(kind))};
}

void RootRouter::on_link_gone(Link& link, const Error& reason) {
  watches_.remove_all(link.id);
  wanted_.erase(wanted_.lower_bound({link.id, {}}), wanted_.lower_bound({link.id + 1, {}}));
  if (link.attachment == nullptr) {
    shell_.log(RouterShell::Level::warning, link.name + " refused: " + reason.to_string());
    return;
  }
  Host& host = static_cast<Host&>(*link.attachment);
  assert(host.session == &link);
  link.attachment = nullptr;
  host.session = nullptr;
  host.link = 0;
  host.complete = false;
  host.pending.reset();
  host.since = now();
  shell_.log(RouterShell::Level::warning,
             "host " + host.name + ": session ended: " + reason.to_string() + "; its " +
                 std::to_string(host.names()) + " names wait for the lease");
}

Router::Link* RootRouter::link_towards(const Process& origin) {
  const auto found = hosts_.find(origin.host);
  return found == hosts_.end() ? nullptr : found->second->session;
}

RootRouter::Host* RootRouter::find_host(std::string_view name) {
  const auto found = hosts_.find(host_id(name));
  return found != hosts_.end() && found->second->name == name ? found->second.get() : nullptr;
}

void RootRouter::tick(Time now_here) {
  Router::tick(now_here);
  check_leases();
  watch_budget_ = std::min(watch_budget_ + std::int64_t{kWatchBudget}, std::int64_t{kWatchBudget});
  serve_watches();
  if (grace_ && grace_may_end()) end_grace();
  if (now() - hold_checked_ >= kHoldCheck) {
    hold_checked_ = now();
    hold_.expire(now(), [&](Kind kind, ByteView payload) {
      drop_held(kind, payload);
      return true;
    });
  }
  if (journal_changed_) store_journal();
}

void RootRouter::check_leases() {
  std::vector<Host*> overdue;
  for (const auto& [id, host] : hosts_) {
    if (!host->complete && now() - host->since >= config_.lease) overdue.push_back(host.get());
  }
  for (Host* host : overdue) {
    if (host->session == nullptr) {
      lose_host(*host);
    } else {
      // A session tells the host's processes that busroot hears them, so their lease goes on.
      end_link(*host->session, {Errc::silent, "no complete table within the lease"});
    }
  }
}

void RootRouter::lose_host(Host& host) {
  shell_.log(RouterShell::Level::warning,
             "host " + host.name + ": lease ended; " + std::to_string(host.names()) + " names of " +
                 std::to_string(host.processes.size()) + " processes are freed");
  while (!host.processes.empty()) process_died(*host.processes.begin()->second);
  // While in grace it is still waited for, should it come back in time.
  if (!awaited_.contains(host.name) && journal_.erase(host.name) != 0) journal_changed_ = true;
  hosts_.erase(host.id);
}

bool RootRouter::grace_may_end() const {
  const auto has_pending = [](const auto& item) {
    return std::ranges::any_of(item.second->processes,
                               [](const auto& process) { return process.second->pending; });
  };
  if (awaited_.empty() && std::ranges::none_of(hosts_, has_pending)) return true;
  // After a lease, who has not come back has fenced itself, or will when it wakes.
  if (now() - started_ < config_.lease) return false;
  // A busd that is here and still collects its processes gets one more lease; so grace is bounded.
  if (now() - started_ >= 2 * config_.lease) return true;
  for (const auto& [id, host] : hosts_) {
    if (host->session != nullptr && awaited_.contains(host->name)) return false;
  }
  return true;
}

void RootRouter::end_grace() {
  assert(grace_);
  grace_ = false;
  for (const std::string& name : awaited_) {
    shell_.log(RouterShell::Level::warning, "host " + name + " has not come back: forgotten");
    journal_.erase(name);
    journal_changed_ = true;
  }
  awaited_.clear();
  shell_.log(RouterShell::Level::info, "grace ended: " + std::to_string(hosts_.size()) +
                                           " hosts, " + std::to_string(directory_.size()) +
                                           " names");
  release_all_held();
  serve_watches();
}

/// Before anything is granted there: a restarted busroot must know whom to wait for.
Result<> RootRouter::admit_to_journal(const std::string& host) {
  if (!journal_.insert(host).second) return {};
  auto stored = root_shell_.remember_hosts({journal_.begin(), journal_.end()});
  if (!stored) journal_.erase(host);
  return stored;
}

/// After hosts were forgotten: to wait for them would only cost time, so a failure can wait, too.
void RootRouter::store_journal() {
  journal_changed_ = !root_shell_.remember_hosts({journal_.begin(), journal_.end()});
}

void RootRouter::shut_down() {
  std::vector<LinkId> ids;
  for_each_link([&](const Link& link) { ids.push_back(link.id); });
  for (const LinkId id : ids) {
    end_link(*find_link(id), {Errc::shutting_down, config_.name + " is shutting down"});
  }
}

void RootRouter::review_hosts() {
  std::vector<std::pair<Link*, Error>> refused;
  for (const auto& [id, host] : hosts_) {
    if (host->session == nullptr) continue;
    if (const auto allowed = root_shell_.allow_host(host->key, host->name); !allowed) {
      refused.emplace_back(host->session, allowed.error());
    }
  }
  for (const auto& [link, why] : refused) end_link(*link, why);
}

}  // namespace starbus::bus
