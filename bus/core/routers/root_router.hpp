/// busroot without its sockets: the directory of names, and the way between hosts. Sans-IO.
///
/// Only busroot grants names, and it routes what crosses hosts. All of it is soft state that the
/// hosts' tables restore; the shell keeps two things on disk, the term and the list of hosts.
/// Belongs to one thread, driven as every Router. A busd that breaks the protocol loses its
/// session, no more.
///
/// The parts are in root/: sessions of hosts, grace, tables, ownership of names, binds, moves,
/// messages, watches, queries, traces. This class gives each record to the part it belongs to.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "bus/core/routers/root/bind_requests.hpp"
#include "bus/core/routers/root/grace.hpp"
#include "bus/core/routers/root/host_sessions.hpp"
#include "bus/core/routers/root/message_routes.hpp"
#include "bus/core/routers/root/move_requests.hpp"
#include "bus/core/routers/root/ownership.hpp"
#include "bus/core/routers/root/root_queries.hpp"
#include "bus/core/routers/root/root_state.hpp"
#include "bus/core/routers/root/root_tables.hpp"
#include "bus/core/routers/root/root_traces.hpp"
#include "bus/core/routers/root/row_claims.hpp"
#include "bus/core/routers/root/watch_publisher.hpp"
#include "bus/core/routers/router.hpp"

namespace starbus::bus {

class RootRouter final : public Router {
 public:
  /// In queries: this busroot. No host may have this name.
  static constexpr std::string_view kRootName = RootQueries::kRootName;
  using Config = RootConfig;
  RootRouter(RootShell& shell, Config config, Time now);

  void tick(Time now) override;
  bool unfinished() const override { return watches_.unfinished(); }
  void go_on() override;
  /// Ends all sessions as shutting_down.
  void shut_down();
  /// Ends the sessions of hosts that the shell no longer allows.
  void review_hosts();

  /// Sends a query of busroot's own to query.target; false if that host is not connected.
  bool ask(Query query);
  void answer(const Answer& answer);

  std::uint64_t term() const { return root_.config.term; }
  std::uint8_t minor() const { return root_.config.minor; }
  const std::string& name() const { return root_.config.name; }
  bool in_grace() const { return root_.grace; }
  /// Journaled hosts that have not announced, during grace.
  const std::set<std::string>& waiting_for() const { return grace_.waiting_for(); }
  const Directory& directory() const { return root_.directory; }
  const HoldQueues& held() const { return routes_.held(); }
  /// Epochs granted in this term.
  std::uint64_t granted() const { return root_.granted; }
  std::size_t host_count() const { return root_.hosts.size(); }
  std::size_t watch_count() const { return watches_.prefixes(); }
  /// By channel.
  const RootMoves& moves() const { return root_.moves; }
  /// `visit(const RootHost&)`, in no particular order.
  template <class Visit>
  void for_each_host(Visit&& visit) const {
    for (const auto& [id, host] : root_.hosts) visit(static_cast<const RootHost&>(*host));
  }
  static const RootProcess& process_of(const Directory::Entry& entry) { return owner_of(entry); }

 private:
  Result<> on_record(RouterLink& link, Kind kind, ByteView payload) override;
  void on_link_gone(RouterLink& link, const Error& reason) override;
  RouterLink* link_towards(const Process& origin) override;
  std::string account_of(const PeerFacts& peer) const override;

  Result<> on_greeted_record(HostEntry& host, Kind kind, ByteView payload);
  Result<> on_request(HostEntry& host, Kind kind, ByteView payload);
  Result<> on_reset(const HostEntry& host, ByteView payload);

  RootState root_;
  WatchPublisher watches_;
  MessageRoutes routes_;
  Grace grace_;
  Ownership names_;
  HostSessions sessions_;
  RowClaims claims_;
  RootTables tables_;
  BindRequests binds_;
  MoveRequests move_requests_;
  RootQueries queries_;
  RootTraces traces_;
};

}  // namespace starbus::bus
