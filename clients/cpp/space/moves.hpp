/// What others are seen to do, from bytes of the server: docs/guide/movement.md, section "What
/// others see". Input is hostile. Pure functions; any thread.
#pragma once

#include <vector>

#include "clients/cpp/fields.hpp"
#include "clients/cpp/space/locomotion.hpp"

namespace starbus::game {

/// The grid of a space, whose lines are 1 cm apart: its origin in whole metres.
struct MoveGrid {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;
  friend bool operator==(const MoveGrid&, const MoveGrid&) = default;
};

/// One update of a mover.
struct SeenMove {
  std::uint16_t index = 0;
  bool fine = false;    ///< heading in 16 bits, pitch, and velocity in the air
  bool moving = false;  ///< the velocity was said: else it follows from the places
  Locomotion move{};
};
/// Those of one tick. An index may come twice: the later entry counts.
struct MoveBatch {
  std::uint32_t epoch = 0;  ///< of the numbering that the indices are of: the number of the scene
  std::uint32_t tick = 0;
  std::uint32_t time = 0;  ///< server time of the tick in ms
  std::vector<SeenMove> moves{};
};

/// One body without its index, which is left 0; `time` is that of its batch. malformed, truncated.
SeenMove get_move(FieldReader& in, std::uint32_t time, const MoveGrid& grid);
/// A batch that goes on to the end. malformed, truncated, newer_format, too_large.
MoveBatch get_moves(FieldReader& in, const MoveGrid& grid);
/// A whole batch. Bytes that end too early are malformed here.
Read<MoveBatch> read_moves(ByteView bytes, const MoveGrid& grid);

}  // namespace starbus::game
