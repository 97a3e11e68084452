/// Rules of players who travel which can be broken one at a time, to show that the oracle of
/// starbus-sim-spaces notices. The product knows nothing of them: patches/ changes copies of its
/// files, and each of these includes this one first.
#pragma once

#include <cstdint>

namespace starbus {

enum class BrokenTravel : std::uint8_t {
  none,
  frees_before_confirmed,    // the source ends the player when it is packed
  stays_frozen,              // a move that was given up leaves the player frozen
  vanishes_when_it_moves,    // the player leaves its space before it is packed
  seat_is_kept,              // a travel that fails does not give its seat back
  seats_are_not_counted,     // more players are let in than a space may have
  newcomers_while_draining,  // a node that drains lets players in
  drain_forgets_arrivals,    // a drain does not wait for players on their way to the node
  stream_begins_again,       // the numbers of the client's stream do not travel
  scene_number_stays,        // nor does that of the latest scene
  news_before_enter,         // a client is told of changes of one that it was not told of
  comes_back_as_the_latest,  // one whose move was rolled back is saved as if no target had lived
  leave_is_lost,             // one that leaves its space stays in the views of others
};

/// The rule that is broken now; one thread.
inline BrokenTravel broken_travel = BrokenTravel::none;

}  // namespace starbus
