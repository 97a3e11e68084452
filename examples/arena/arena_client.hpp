// What the arena tells the client of a hero, beside what it sees. Declared and never implemented:
// the code is the client's.
#pragma once

#include <cstdint>
#include <string>

#include "entity/objects/client_interface.hpp"

namespace arena {

struct ArenaClient {
  // `where`: "space", "whisper", "world".
  void said(std::string where, std::string who, std::string text);
  // Somebody whose online id this is has lost so much health, and has so much left.
  void struck(std::uint64_t who, std::int32_t damage, std::int32_t left);
  void looted(std::int32_t gold);
  // By another hero.
  void paid(std::string who, std::int32_t gold);

  static constexpr auto kClient = starbus::entity::client_methods(
      "arena_client", starbus::entity::client_method<&ArenaClient::said>("said"),
      starbus::entity::client_method<&ArenaClient::struck>("struck"),
      starbus::entity::client_method<&ArenaClient::looted>("looted"),
      starbus::entity::client_method<&ArenaClient::paid>("paid"));
};

}  // namespace arena
