/// The obstacles of one space: who is one, and what its crowd knows of them. For SpaceNav alone.
///
/// A batch says what has changed since the one before: who has come, gone, moved, been opened or
/// closed. Belongs to the loop's thread; entities are told to it for as long as they are there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nodes/nav/messages.hpp"
#include "nodes/space/nav/nav_obstacle.hpp"

namespace starbus::nodes::crowds {

class SpaceObstacles {
 public:
  /// `most`: of the type. `where`: of the space, for logs.
  SpaceObstacles(std::uint32_t most, std::string where);

  /// One without a NavObstacle, or without a Mover, is none.
  void enters(entity::Entity& entity);
  /// Who never entered is left alone.
  void leaves(entity::Entity& entity);
  /// Adds what is new to a batch.
  void ask(Batch& batch);
  /// The crowd that knew of them is lost.
  void lost();
  /// Logged; it is asked again when it has changed.
  void refused(std::uint32_t number, const Error& why) const;

 private:
  struct Slot {
    NavObstacle* obstacle = nullptr;  // null: nobody has it
    sight::Mover* mover = nullptr;
    std::optional<Block> known;  // by the crowd, or it was asked for
  };

  const std::string where_;
  std::vector<Slot> slots_;  // by number - 1
  std::map<entity::OnlineId, std::uint32_t> number_of_;
  bool full_told_ = false;  // in the log
};

}  // namespace starbus::nodes::crowds
