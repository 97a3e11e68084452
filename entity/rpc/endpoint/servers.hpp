/// Which processes are trusted as servers: the processes that own their name under `server/`, as
/// the directory shows them to this process. busd grants such a name to a process whose role has
/// `trust = "server"`, and to no other; the library of that process binds it before the program may
/// send, so that a server is known to all that watch before its first message. A process that is
/// not known is no server.
///
/// A server that ends stays one for kFormerServerTime: what it sent may still be on its way.
/// Belongs to the loop's thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bus/core/wire/record.hpp"

namespace starbus::entity::rpc {

class Servers {
 public:
  using Clock = std::chrono::steady_clock;

  /// Rows of the watch of bus::kServerPrefix.
  void update(const std::vector<bus::WatchRow>& changes, bool complete, Clock::time_point now);

  /// False until the first snapshot is whole.
  bool known() const { return known_; }
  bool is_server(const bus::Process& process) const {
    return trusts_unlisted_ || owners_.contains(process);
  }
  /// From now on every process counts as a server: see Endpoint::trust_unlisted_callers.
  void trust_unlisted() { trusts_unlisted_ = true; }
  std::size_t size() const { return owners_.size(); }

 private:
  void retire(const bus::Process& process, Clock::time_point now);
  void forget(Clock::time_point now);

  bool known_ = false;
  bool trusts_unlisted_ = false;
  std::unordered_map<std::string, bus::Process> names_;
  boost::unordered_flat_map<bus::Process, bool> owners_;           // whether it has its name now
  std::deque<std::pair<Clock::time_point, bus::Process>> former_;  // when they lost their names
};

}  // namespace starbus::entity::rpc
