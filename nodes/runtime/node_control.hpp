/// The RPC methods of every node, under node/HOST.NODE: report the state, drain, answer operators.
///
///   rpc::call<&NodeControl::report>(endpoint, nodes::presence_name("host-a.chat-1"), {});
///
/// Belongs to the loop's thread. Only servers may call (docs/guide/rpc.md); the access list of busd
/// says which of them may send to node/.
#pragma once

#include <cstdint>
#include <string>

#include "entity/rpc/rpc.hpp"
#include "nodes/runtime/lifecycle.hpp"

namespace starbus::nodes {

class NodeCore;

/// The state of a node, as it reports it to the manager.
struct NodeReport {
  std::string role;
  NodeState state = NodeState::starting;
  std::string status;        // in words
  double busy_ms_per_s = 0;  // of 1000
  std::uint64_t stalls = 0;
  std::uint64_t posted = 0;      // closures that wait
  std::uint64_t tasks = 0;       // that wait or run
  std::uint64_t dictionary = 0;  // hash of its RPC methods: rpc::Dictionary

  template <class Archive>
  void serialize(Archive& archive) {
    archive(role, state, status, busy_ms_per_s, stalls, posted, tasks, dictionary);
  }
};

/// What a node answers to an operator.
struct NodeAnswer {
  std::uint32_t status = 0;  // of HTTP: 200 is good
  std::string body;          // JSON, also of a refusal

  template <class Archive>
  void serialize(Archive& archive) {
    archive(status, body);
  }
};

class NodeControl final : public entity::rpc::Callable<NodeControl> {
 public:
  explicit NodeControl(NodeCore& core) : core_(core) {}

  /// The present state.
  NodeReport report(entity::rpc::Caller& from);
  /// As SIGTERM does. Answers at once; the drain begins after the answer.
  void drain(entity::rpc::Caller& from);
  /// The same, as the whole cluster ends: see Node::cluster_ends(). Also of a node that drains
  /// already.
  void end_with_cluster(entity::rpc::Caller& from);

  /// What a GET of the admin socket answers there to a caller with the role `read`, for the paths
  /// that are offered on the bus (AdminServer::offer): "/clients?prefix=account/a". So an operator
  /// reaches the nodes of other hosts.
  NodeAnswer look(entity::rpc::Caller& from, std::string target);

  static constexpr auto kRpc =
      entity::rpc::methods("node", entity::rpc::method<&NodeControl::report>("report"),
                           entity::rpc::method<&NodeControl::drain>("drain"),
                           entity::rpc::method<&NodeControl::end_with_cluster>("end_with_cluster"),
                           entity::rpc::method<&NodeControl::look>("look"));

 private:
  NodeCore& core_;
};

}  // namespace starbus::nodes
