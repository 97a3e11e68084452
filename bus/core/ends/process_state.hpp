/// Facts that all parts of one ProcessCore share: the process, the rights of its role, and the
/// time. Written by ProcessCore alone. One thread.
#pragma once

#include <string>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/version.hpp"

namespace starbus::bus {

/// The identity of this process: fixed from its start to its end.
struct ProcessConfig {
  std::string node;
  std::string role = "node";
  std::uint64_t incarnation = 0;  // grows from start to start of the same node
  std::string software;
  std::uint8_t minor = kVersionMinor;  // the highest minor version that this process speaks
};

/// The rights of a role, as the latest welcome of busd has stated them.
struct RoleRights {
  std::vector<std::string> bind_prefixes{};
  std::vector<std::string> send_prefixes{};
  std::size_t max_names = kMaxNamesPerProcess;
  bool known = false;       // false before the first welcome
  bool restricted = false;  // may not send to every name

  bool may_bind(std::string_view name) const { return matches_any(bind_prefixes, name); }
  /// Every role may send to processes: replies go there.
  bool may_send(std::string_view name) const {
    return !restricted || matches_any(send_prefixes, name) || name.starts_with("process/");
  }
};

struct ProcessState {
  ProcessConfig config;
  Time now{};
  Process self{};          // zero before the first welcome of an incarnation
  std::string host{};      // empty before the first welcome
  std::uint8_t minor = 0;  // protocol version of the session
  bool greeted = false;    // the present session has had its welcome
  bool left = false;
  RoleRights rights{};
};

}  // namespace starbus::bus
