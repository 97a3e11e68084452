/// What a client and the server tell each other of its player's movement. Plain values, which are
/// arguments of RPCs as they are (serialize); any thread.
#pragma once

#include <cstdint>

#include "nodes/space/movement/locomotion.hpp"

namespace starbus::nodes::movement {

/// Client to server: one move that the client has made. It may be lost; the next one stands for it.
struct MoveReport {
  std::uint32_t epoch = 0;      ///< that of the latest correction which the client has applied
  std::uint32_t number = 0;     ///< one more than the one before, through all epochs; wraps
  std::uint32_t client_ms = 0;  ///< the client's steady clock; grows with each report; wraps
  Locomotion move;              ///< after the move; `at` and `teleports` are not looked at
  friend bool operator==(const MoveReport&, const MoveReport&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(epoch, number, client_ms, move);
  }
};

/// Server to client: the report of that number, and so all before it, need no more replay.
struct MoveAck {
  std::uint32_t epoch = 0;
  std::uint32_t number = 0;
  friend bool operator==(const MoveAck&, const MoveAck&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(epoch, number);
  }
};

/// Server to client: this is where you are. The client takes it, makes its moves after `number`
/// again, and says the new epoch from then on. To be sent so that it arrives.
struct Correction {
  std::uint32_t epoch = 0;
  std::uint32_t number = 0;  ///< the latest report that was looked at
  bool teleport = false;     ///< the player was set elsewhere: its moves elsewhere are void
  Locomotion move;
  friend bool operator==(const Correction&, const Correction&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(epoch, number, teleport, move);
  }
};

}  // namespace starbus::nodes::movement
