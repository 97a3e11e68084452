#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "daemon/config/config.hpp"
#include "nodes/runtime/requirements.hpp"
#include "nodes/runtime/thrown_units.hpp"

namespace starbus::nodes {

/// The keys that every node has, beside those of run_daemon (log, admin, state_directory,
/// drain_deadline). A plain value.
struct NodeSettings {
  std::string node;  // unique on its host
  std::vector<Requirement> needs;
  std::string bus_endpoint;  // empty: $STARBUS_BUSD, else busd's usual socket
  std::string bus_role;
  bool upgrade_from_1_1 = false;  // see rpc::Endpoint::trust_unlisted_callers
  std::chrono::milliseconds stall{};
  std::chrono::milliseconds tick{};
  OnException on_exception = OnException::go_on;
  std::chrono::milliseconds leave_deadline{};
  std::chrono::milliseconds ready_deadline{};  // 0: it waits for ever
  std::size_t workers = 0;

  bool operator==(const NodeSettings&) const = default;
};

/// `fallback` is the node's name if neither the file nor $STARBUS_NODE has one. Problems are noted
/// at the reader.
NodeSettings read_node_settings(daemon::ConfigReader& reader, const std::string& fallback);

}  // namespace starbus::nodes
