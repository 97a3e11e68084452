/// The names that show nodes and their readiness, and a watch of ready nodes.
///
///   node/HOST.NODE         it is on the bus: registered, ready, or draining
///   ready/ROLE/HOST.NODE   it is ready
///
/// Pure functions; watch_ready belongs to the loop's thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/client/bus.hpp"

namespace starbus::nodes {

/// The prefixes of both kinds of names.
inline constexpr std::string_view kPresencePrefix = "node/";
inline constexpr std::string_view kReadyPrefix = "ready/";

/// Those names; `process` is HOST.NODE.
std::string presence_name(std::string_view process);
std::string ready_name(std::string_view role, std::string_view process);

/// HOST.NODE of a row under node/. nullopt if the name is malformed, or is not owned by the process
/// that it names.
std::optional<std::string> present_process(const bus::WatchRow& row);

/// One ready node.
struct ReadyNode {
  std::string role;
  std::string process;  // HOST.NODE
  bus::Process owner;
  bus::Epoch epoch;  // grows each time it becomes ready
};
/// nullopt if the name is malformed, or is not owned by the process that it names: no process can
/// declare another one ready.
std::optional<ReadyNode> ready_node(const bus::WatchRow& row);

/// One change of the ready nodes.
struct ReadyUpdate {
  std::vector<ReadyNode> came;  // new, or ready again: a new epoch
  std::vector<ReadyNode> left;
  bool complete = false;  // the snapshot is delivered
};

/// A snapshot of the nodes of a role that are ready ("" for all roles), then changes, in order, for
/// as long as the handle lives. Errors and refusals as of bus::Bus::watch.
bus::Result<bus::WatchHandle> watch_ready(bus::Bus& bus, std::string_view role,
                                          std::function<void(const ReadyUpdate&)> on_update,
                                          std::function<void(const bus::Error&)> on_error = {});

}  // namespace starbus::nodes
