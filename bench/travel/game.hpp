// The game of the suite: players who travel (tests/cluster/travel/pilot.hpp) on two hosts, with a
// gate on each. One thread uses it. Throws std::runtime_error if something does not start.
#pragma once

#include <string>

#include "bench/gate/game.hpp"

namespace starbus::bench::travel {

// Where the accounts are, and players before their first travel. The service of spaces is there.
inline constexpr const char* kHome = "home-1";

// Each node with spaces runs those of one type, "low" or "high".
gate::GameNode space_node(const std::string& host, const std::string& name, const std::string& type,
                          int count_ms);

// `enter`: where players go by themselves; "": nowhere. `capacity`: of one space.
gate::GameOptions game_options(int count_ms, const std::string& enter, std::size_t capacity);

// Players in the spaces of a node that serves.
std::size_t players_in(const cluster_test::Daemon& node);

// Of client N: its account, and the channel of its player.
std::string account_of(std::size_t number);
std::string player_of(std::size_t number);

}  // namespace starbus::bench::travel
