/// Grace and the journal of hosts. From its start until every journaled host has announced its
/// table, or has had the lease to do so, busroot grants nothing and holds what it cannot route.
///
/// The shell stores the journal: a new host must be on disk before names are granted there, a
/// removed one may stay until storing succeeds. Part of RootRouter: same thread; owns the list of
/// hosts.
#pragma once

#include <set>
#include <string>

#include "bus/core/routers/root/message_routes.hpp"
#include "bus/core/routers/root/root_state.hpp"
#include "bus/core/routers/root/watch_publisher.hpp"

namespace starbus::bus {

class Grace {
 public:
  Grace(RootState& root, MessageRoutes& routes, WatchPublisher& watches);

  /// Journaled hosts that have not announced, during grace.
  const std::set<std::string>& waiting_for() const { return awaited_; }

  /// Before anything is granted on the host: a restarted busroot must wait for it. An error of the
  /// disk keeps the host out.
  Result<> admit(const std::string& host);
  /// The host has announced its complete table.
  void announced(const std::string& host) { awaited_.erase(host); }
  /// The lease of the host has ended. During grace it stays awaited, in case it returns in time.
  void lost(const std::string& host);
  /// True if grace ended by this call: snapshots are sent and held records are routed.
  bool end_if_due();
  /// Stores the journal if hosts were removed from it since the last success.
  void store();

 private:
  bool may_end() const;
  void end();

  RootState& root_;
  MessageRoutes& routes_;
  WatchPublisher& watches_;
  const Time started_;
  std::set<std::string> journal_;
  bool journal_changed_ = false;
  std::set<std::string> awaited_;
};

}  // namespace starbus::bus
