/// What a designer writes about a scene: what is spawned where, traps, portals, and the quests that
/// drive it. Plain values, read from a data file by scene_file.hpp; docs/guide/scenes.md has the
/// keys.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aoi/types.hpp"
#include "nodes/space/names.hpp"

namespace starbus::nodes::space {

using SceneTime = std::chrono::milliseconds;

/// Entities of one kind that live around a point, so many at once.
struct SpawnRow {
  std::uint32_t id = 0;  // of rows of this kind, from 1
  std::string kind;      // the game knows what it makes of it
  aoi::Position at;
  float spread = 0;                    // m: anywhere within that of the point
  std::uint32_t count = 1;             // that live at once
  SceneTime first{};                   // after the start of the scene
  std::optional<SceneTime> respawn{};  // after the end of one; nullopt: once
};

/// Whom a trap notices.
enum class TrapTargets : std::uint8_t { players, others, all };

/// A spot that notices who comes and goes.
struct TrapRow {
  std::uint32_t id = 0;
  aoi::Position at;
  float radius = 0;
  TrapTargets targets = TrapTargets::players;
  bool once = false;  // the first one that comes, and nobody after it
};

/// A spot from which players go to another place.
struct PortalRow {
  std::uint32_t id = 0;
  aoi::Position at;
  float radius = 0;
  PlaceId to;
  std::optional<aoi::Position> arrive{};  // nullopt: where the other place lets people in
};

/// What a quest waits for.
enum class QuestKind : std::uint8_t {
  wait,        ///< `after` has passed
  kill_all,    ///< one of each row in `monsters` has been killed
  kill_one,    ///< one of any of these
  trap_all,    ///< each of `traps` has noticed somebody
  trap_one,    ///< any of these
  fill_all,    ///< somebody is in each of `traps` at the same time
  events_all,  ///< each of `events` has been told
  event_one,   ///< any of these
  final_one,   ///< never: the flow has ended
};

/// One step of the flow of a scene. One is active at a time.
struct QuestRow {
  std::uint32_t id = 0;
  QuestKind kind = QuestKind::final_one;
  SceneTime after{};                      // of `wait`
  std::vector<std::uint32_t> monsters{};  // ids of spawn rows
  std::vector<std::uint32_t> traps{};     // ids of traps
  std::vector<std::string> events{};      // of the game
  std::uint32_t next = 0;                 // when it is done; 0: none, the flow stops
  std::optional<SceneTime> within{};      // else it has failed
  std::uint32_t otherwise = 0;            // then; 0: none, the flow stops
};

/// All of a scene. Rows of each kind are in the order of their ids.
struct SceneData {
  std::vector<SpawnRow> spawns;
  std::vector<TrapRow> traps;
  std::vector<PortalRow> portals;
  std::vector<QuestRow> quests;  // the flow begins with the first one
};

/// The row of that id, of rows in the order of their ids; null: there is none.
template <class Row>
const Row* find_row(const std::vector<Row>& rows, std::uint32_t id) {
  const auto found = std::ranges::lower_bound(rows, id, {}, &Row::id);
  return found == rows.end() || found->id != id ? nullptr : &*found;
}

/// "kill_all", as in files.
std::string_view name_of(QuestKind kind);

}  // namespace starbus::nodes::space
