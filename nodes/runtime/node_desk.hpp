/// What a node answers to others, under node/HOST.NODE: how it is, and that it shall go.
///
///   rpc::call<&NodeDesk::report>(endpoint, nodes::presence_name("host-a.chat-1"), {});
///
/// Belongs to the loop's thread. Only servers may call (docs/rpc.md); who of these may send to
/// node/ is in busd's access list.
#pragma once

#include <cstdint>
#include <string>

#include "entity/rpc/rpc.hpp"
#include "nodes/runtime/lifecycle.hpp"

namespace starbus::nodes {

class NodeCore;

struct NodeReport {
  std::string role;
  NodeState state = NodeState::starting;
  std::string status;        // in words
  double busy_ms_per_s = 0;  // of 1000
  std::uint64_t stalls = 0;
  std::uint64_t posted = 0;      // closures that wait
  std::uint64_t tasks = 0;       // that wait or run
  std::uint64_t dictionary = 0;  // hash of all that it can be called with: rpc::Dictionary

  template <class Archive>
  void serialize(Archive& archive) {
    archive(role, state, status, busy_ms_per_s, stalls, posted, tasks, dictionary);
  }
};

class NodeDesk final : public entity::rpc::Callable<NodeDesk> {
 public:
  explicit NodeDesk(NodeCore& core) : core_(core) {}

  NodeReport report(entity::rpc::Caller& from);
  /// As SIGTERM. Answers at once, and the drain begins behind that.
  void drain(entity::rpc::Caller& from);

  static constexpr auto kRpc =
      entity::rpc::methods("node", entity::rpc::method<&NodeDesk::report>("report"),
                           entity::rpc::method<&NodeDesk::drain>("drain"));

 private:
  NodeCore& core_;
};

}  // namespace starbus::nodes
