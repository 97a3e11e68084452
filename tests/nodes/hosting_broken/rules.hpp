/// Rules of entities that move which can be broken one at a time, to show that the model of moves
/// notices. The product knows nothing of them: patches/ changes a copy of entity/objects, and each
/// file of that copy includes this one first.
#pragma once

#include <cstdint>

namespace starbus::entity {

enum class BrokenMove : std::uint8_t {
  none,
  acts_while_frozen,  // coroutines, timers and writes of a frozen entity go on
  drops_machines,     // state machines stay behind
  wakes_twice,        // the source goes on although the target has it
};

/// The rule that is broken now; one thread.
inline BrokenMove broken_move = BrokenMove::none;

}  // namespace starbus::entity
