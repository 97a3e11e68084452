/// What operators see of the clients of a gate: docs/operate/admin-api.md has the answers.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "daemon/admin/admin_server.hpp"
#include "nodes/gate/core/gate_core.hpp"
#include "nodes/gate/node/client_side.hpp"
#include "nodes/gate/node/gate.hpp"

namespace starbus::nodes::gate {

/// The kinds of a traffic by name.
std::vector<std::pair<std::string_view, Traffic::Count>> kinds_of(const Traffic& traffic);

/// Answers of the routes; of one question at most kClientsSeen sessions and kClientRows rows, after
/// which `next` is the `after` of the following one. `core` may be null: the gate has not begun.
daemon::Response clients_answer(GateCore* core, const ClientSide& clients,
                                const daemon::Request& request);
daemon::Response client_answer(GateCore* core, const ClientSide& clients,
                               const daemon::Request& request);
daemon::Response partings_answer(const GateCore* core, const daemon::Request& request);
daemon::Response audience_answer(GateCore* core, const daemon::Request& request);
daemon::Response announced_answer(const GateCore* core, const daemon::Request& request);

/// Adds /clients, /client, /partings, /audience and /announced. The gate outlives the server. The
/// loop's thread.
void add_client_routes(daemon::AdminServer& admin, Gate& gate);

}  // namespace starbus::nodes::gate
