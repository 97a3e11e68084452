/// The sub-commands that ask over the bus: bustop cluster, bustop shutdown, bustop entity.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

#include "tools/terminal/table.hpp"

namespace starbus::bustop {

/// The context of these commands, for one run of the program.
struct ManagerContext {
  std::ostream& out;
  std::ostream& err;
  Look look;
  bool json = false;
  std::string busd;  // endpoint; empty: $STARBUS_BUSD, else the usual one
  std::string role;  // for its access list
  std::chrono::milliseconds timeout{};
  /// Asks the operator, and returns the line of the answer; empty if nobody is there. May be null.
  std::function<std::string(const std::string& question)> read_line = {};
};

struct ShutdownOptions {
  std::string reason;  // empty: nothing is begun
  bool follow = false;
};

/// Exit codes as of commands.hpp. kExitBad: an instance is in quarantine.
int run_cluster(const ManagerContext& context);
/// Releases a service instance from quarantine. kExitNotFound: it has no setbacks.
int run_release(const ManagerContext& context, const std::string& instance);
/// One entity, wherever it lives: its properties, its timers, whether it is saved. kExitNotFound:
/// the name has no owner, or the owner is not an entity.
int run_entity(const ManagerContext& context, const std::string& channel);
/// kExitBad: a node did not end in time.
int run_shutdown(const ManagerContext& context, const ShutdownOptions& options);

}  // namespace starbus::bustop
