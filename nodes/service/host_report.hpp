/// The messages between a manager and the hosts of services. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/service/names.hpp"

namespace starbus::nodes::service {

/// States of an instance at its host, in their order.
enum class InstanceState : std::uint8_t {
  claiming,  // asks for the claim, which another host may have
  starting,  // has the claim; start() runs
  opening,   // asks for the channel
  serving,   // has the channel: callers reach it
  stopping,  // its channel is given up; stop() runs, then the claim is given up
  failed,    // it has nothing; stays in the report until it is withdrawn, or placed here again
};
std::string_view name_of(InstanceState state);

/// One instance at its host. Equal if id, state and epoch are; `problem` does not count.
struct InstanceRow {
  InstanceId id;
  InstanceState state = InstanceState::claiming;
  std::uint64_t epoch = 0;  // of the claim, once it has it
  Error problem;            // why it has failed, or what it waits for

  friend bool operator==(const InstanceRow& a, const InstanceRow& b) {
    return a.id == b.id && a.state == b.state && a.epoch == b.epoch;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, state, epoch, problem);
  }
};

/// The report of a host.
struct HostReport {
  std::vector<std::string> labels;  // its role among them
  std::vector<std::string> types;   // that it has classes for
  std::uint32_t capacity = 0;       // instances that it takes in all
  std::vector<InstanceRow> instances;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(labels, types, capacity, instances);
  }
};

/// An order of the manager to a host.
struct Action {
  enum class Kind : std::uint8_t { place, withdraw };
  Kind kind = Kind::place;
  InstanceId id;

  auto operator<=>(const Action&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(kind, id);
  }
};

/// The orders of a manager to one host. `manager` is the epoch of the manager's name: hosts refuse
/// orders with an earlier epoch.
struct Order {
  std::uint64_t manager = 0;
  std::vector<Action> actions;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(manager, actions);
  }
};

}  // namespace starbus::nodes::service
