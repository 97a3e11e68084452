// What is said to everybody on the plaza: one message to each gate, which hands it out.
#pragma once

#include <cstdint>
#include <string>

#include "bus/client/bus.hpp"

namespace plaza {

/// The group that all players are in.
inline constexpr const char* kWorld = "world";
/// Bytes of a text that a player may say to everybody.
inline constexpr std::size_t kLongestText = 200;

/// Microseconds since 1970.
std::uint64_t wall_time();
/// A number that no other object has drawn.
std::uint64_t draw_life();

/// One for each process. Belongs to the loop's thread; the bus outlives it.
class Crier {
 public:
  explicit Crier(starbus::bus::Bus& bus) : bus_(bus) {}
  /// `time`: when it was due. Errors: those of announce(); then nothing was said.
  starbus::bus::Result<> tell(const std::string& who, const std::string& text, std::uint64_t time);

 private:
  starbus::bus::Bus& bus_;
  const std::uint64_t life_ = draw_life();
  std::uint64_t said_ = 0;
};

}  // namespace plaza
