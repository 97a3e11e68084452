/// Where something is, where it looks and how it moves; what a client reports of its own player,
/// and what the server answers. docs/guide/movement.md has the contract. Plain values and pure
/// functions; any thread.
#pragma once

#include <cstdint>

namespace starbus::game {

/// Metres, or metres per second; z is the height.
struct Place {
  float x = 0;
  float y = 0;
  float z = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// The state of movement of one player or monster.
struct Locomotion {
  Place position{};
  Place velocity{};
  float heading = 0;           ///< radians around z: 0 is along x, a quarter turn is along y
  float pitch = 0;             ///< radians: up is positive
  std::uint32_t at = 0;        ///< server time in ms; wraps after 49 days
  std::uint8_t mode = 0;       ///< of the game: walks, swims, flies
  std::uint8_t teleports = 0;  ///< counts them; those of others are 0 or 1
  bool grounded = true;        ///< z is that of the ground, which is not told of others
  friend bool operator==(const Locomotion&, const Locomotion&) = default;

  /// Visits the fields in the order of their bytes.
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.position.x), visit(self.position.y), visit(self.position.z);
    visit(self.velocity.x), visit(self.velocity.y), visit(self.velocity.z);
    visit(self.heading), visit(self.pitch), visit(self.at), visit(self.mode);
    visit(self.teleports), visit(self.grounded);
  }
};

/// Client to server: one move that the client has made. It may be lost; the next one stands for it.
struct MoveReport {
  std::uint32_t epoch = 0;      ///< that of the latest correction which the client has applied
  std::uint32_t number = 0;     ///< later than the one before, through all epochs; wraps
  std::uint32_t client_ms = 0;  ///< the client's steady clock; grows with each report; wraps
  Locomotion move{};            ///< after the move; `at` and `teleports` are not looked at
  friend bool operator==(const MoveReport&, const MoveReport&) = default;

  /// Visits the fields in the order of their bytes.
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.epoch), visit(self.number), visit(self.client_ms), visit(self.move);
  }
};

/// Server to client: the report of that number, and so all before it, need no more replay.
struct MoveAck {
  std::uint32_t epoch = 0;
  std::uint32_t number = 0;
  friend bool operator==(const MoveAck&, const MoveAck&) = default;

  /// Visits the fields in the order of their bytes.
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.epoch), visit(self.number);
  }
};

/// Server to client: this is where you are. The client makes its moves after `number` again.
struct Correction {
  std::uint32_t epoch = 0;
  std::uint32_t number = 0;  ///< the latest report that was looked at
  bool teleport = false;     ///< the player was set elsewhere: its moves elsewhere are void
  Locomotion move{};
  friend bool operator==(const Correction&, const Correction&) = default;

  /// Visits the fields in the order of their bytes.
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.epoch), visit(self.number), visit(self.teleport), visit(self.move);
  }
};

/// `later` - `earlier`, of times or numbers that wrap: right while they lie less than 2^31 apart.
constexpr std::int32_t since(std::uint32_t later, std::uint32_t earlier) {
  return static_cast<std::int32_t>(later - earlier);
}

/// Metres between two places.
double distance(const Place& a, const Place& b);

/// Whether all of it are numbers.
bool is_finite(const Locomotion& move);

}  // namespace starbus::game
