/// The sub-commands that ask gates over the bus: bustop clients, client, announce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/bustop/gates/gate_report.hpp"
#include "tools/bustop/manager_commands.hpp"

namespace starbus::bustop {

struct AnnounceOptions {
  std::string group;             // "*": all clients
  std::string text;              // of a notice
  std::string method;            // instead: of the game's clients, with its types
  std::string arguments = "[]";  // its, as a JSON array
  bool preview = false;          // says nothing
  bool yes = false;              // does not ask
  std::uint64_t ask_from = 100;  // clients
};

/// Exit codes as of commands.hpp. kExitBad: some gate did not answer, and its clients are missing.
int run_clients(const ManagerContext& context, const ClientsQuery& query);
/// kExitNotFound: no gate knows of such a session, account or player, now or of late.
int run_client(const ManagerContext& context, const std::string& id);
/// kExitNotFound: the operator did not say yes; kExitBad: some gate did not take it, or not all
/// of it.
int run_announce(const ManagerContext& context, const AnnounceOptions& options);

}  // namespace starbus::bustop
