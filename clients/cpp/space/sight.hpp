/// The records of sight: docs/reference/client-protocol.md has the bytes, which are hostile. Values
/// and a pure function; any thread.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "clients/cpp/space/moves.hpp"

namespace starbus::game {

/// The client's player is in another space, or in none; all that was seen is forgotten.
struct Scene {
  std::uint32_t number = 0;  ///< grows by 1 with each scene, and wraps: for `ready`
  std::string space{};       ///< empty: the player is in no space
  MoveGrid grid{};
  std::uint32_t tick_ms = 0;         ///< of the space; 0 if there is none
  std::uint32_t time = 0;            ///< server time in ms, wraps
  std::uint32_t epoch = 0;           ///< of the server's check of the player's moves
  std::optional<Locomotion> move{};  ///< where the player is; nullopt: it has no body there
  Bytes setup{};                     ///< of the game
};
/// Something comes in sight.
struct Enter {
  std::uint16_t index = 0;  ///< of this scene, not 0; it may be used again after a leave
  std::uint64_t id = 0;     ///< the online id
  std::string class_name{};
  /// nullopt: it has no place that moves. Its age is that at the time of the batch of moves with
  /// which it came, or if none did, at the latest time that was told.
  std::optional<Locomotion> move{};
  ByteView properties{};  ///< a snapshot for other clients; empty: there is nothing for them
};
/// Something goes out of sight.
struct Leave {
  std::uint16_t index = 0;
};
/// Its properties are others: changes, or a snapshot. A view.
struct SeenNews {
  std::uint16_t index = 0;
  ByteView changes{};
};
using SightRecord = std::variant<Scene, Enter, Leave, SeenNews, MoveBatch>;

/// What a reader of sight knows from before: of the present scene.
struct Ground {
  MoveGrid grid{};
  std::uint32_t time = 0;  ///< the latest server time that was told
};

/// All of a body. Without a ground a scene must come first. What is read has views of `body`.
/// malformed, newer_format, too_large.
Read<std::vector<SightRecord>> read_sight(ByteView body, const std::optional<Ground>& ground);

}  // namespace starbus::game
