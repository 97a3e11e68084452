/// Which processes are gates: the processes that own a name under `gate/`, as the directory shows
/// them to this process. busd lets only the roles that its access list names bind such names, so
/// that a message cannot claim that its sender is a gate, or is not.
///
/// A process that has once been a gate stays one until it is forgotten (kMaxGates): giving up its
/// name must not turn it into a trusted server. Belongs to the loop's thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::entity::rpc {

class Gates {
 public:
  /// The prefix of the names of gates.
  static constexpr std::string_view kPrefix = bus::kGatePrefix;

  /// Rows of the watch of kPrefix.
  void update(const std::vector<bus::WatchRow>& changes, bool complete);

  /// False until the first snapshot is whole: until then no caller's permissions are known.
  bool known() const { return known_; }
  bool is_gate(const bus::Process& process) const { return names_.contains(process); }
  /// Whether a process owns this name, which is one under kPrefix.
  bool owns(const bus::Process& process, std::string_view name) const {
    const auto found = owners_.find(std::string(name));
    return found != owners_.end() && found->second == process;
  }
  /// Whether it owns such a name now.
  bool is_present(const bus::Process& process) const {
    const auto found = names_.find(process);
    return found != names_.end() && found->second != 0;
  }
  std::size_t size() const { return names_.size(); }

 private:
  void gone(const std::string& name);

  bool known_ = false;
  std::unordered_map<std::string, bus::Process> owners_;        // by name
  boost::unordered_flat_map<bus::Process, std::size_t> names_;  // how many each owns
  std::deque<bus::Process> former_;  // processes without a gate name, in the order of leaving
};

}  // namespace starbus::entity::rpc
