/// The processes whose entities speak to sessions of this gate: what their handles stand for, which
/// sessions they speak to, and which of them have died.
///
/// Belongs to the loop's thread. One handle for each (home, session); handles of sessions that are
/// forgotten go with them. Sessions of a dead home are told one at a time, so that its death is
/// worked off in slices.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "nodes/gate/core/part_order.hpp"

namespace starbus::nodes::gate {

class HomeTable {
 public:
  /// nullptr: this home has not introduced it.
  const Introduction* find(const bus::Process& home, std::uint32_t handle) const;
  /// One of a lower bind is not kept: a subject that was unlinked, at the home of the present one.
  void introduce(const bus::Process& home, std::uint32_t handle, const Introduction& at);
  /// The home speaks to this session by way of another gate.
  void watch(const bus::Process& home, const SessionId& session);
  void forget(const SessionId& session);
  /// Its handles are void; its sessions come from next_of_dead().
  void died(const bus::Process& process);
  bool dead(const bus::Process& process) const { return dead_.contains(process); }
  /// A session to which a dead process has spoken, and that process; each once.
  std::optional<std::pair<SessionId, bus::Process>> next_of_dead();

 private:
  struct Home {
    std::unordered_map<std::uint32_t, Introduction> handles{};
    std::map<SessionId, std::uint32_t> sessions{};  // with its handle; 0: none
  };
  void drop(const bus::Process& process, const SessionId& session);

  std::map<bus::Process, Home> homes_;
  std::map<SessionId, std::vector<bus::Process>> of_session_;  // the latest is the last
  std::set<bus::Process> dead_;
  std::deque<bus::Process> dead_order_;  // the same, oldest first
  std::deque<bus::Process> dying_;       // with sessions that were not told yet
};

}  // namespace starbus::nodes::gate
