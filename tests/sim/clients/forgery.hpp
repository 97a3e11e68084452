#pragma once

#include "tests/sim/clients/client_node.hpp"

namespace starbus::sim {

/// Sends a reply to `caller` under the number of a call that the forger has guessed; `id` is that
/// of the oracle, under which the caller would believe it. Within ClientNode::run of the forger.
void forge_reply(ClientNode& forger, const bus::Process& caller, bus::Lane lane,
                 std::uint64_t number, ClientOracle::Id id);

}  // namespace starbus::sim
