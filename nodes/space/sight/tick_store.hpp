/// What one space encodes in one tick for all its observers: bytes of properties, which are made
/// once however many take them, and the time that moves are told for.
///
/// Owns the bytes, of at most kTickBytes, whose memory is used again in each tick. One per space,
/// used by its loop; sans-IO.
#pragma once

#include <array>
#include <cstdint>

#include "bus/core/bytes.hpp"
#include "nodes/space/movement/move_wire.hpp"
#include "nodes/space/movement/suspicion.hpp"

namespace starbus::nodes::sight {

/// Since the space was made.
struct SightCounters {
  std::uint64_t moves_encoded = 0;  ///< move bodies, fine or coarse
  std::uint64_t deltas_encoded = 0;
  std::uint64_t snapshots_encoded = 0;
  std::uint64_t scenes = 0;  ///< told, as all that follow
  std::uint64_t enters = 0;
  std::uint64_t leaves = 0;
  std::uint64_t news = 0;
  std::uint64_t moves = 0;
  std::uint64_t move_bytes = 0;  ///< of those, with their indices
  std::uint64_t bodies = 0;
  std::uint64_t bytes = 0;
  std::uint64_t too_large = 0;  ///< entities that are not shown, each time that they became so
  std::uint64_t crowded = 0;    ///< entities that came in sight of a client beyond kMostSeen
  /// Reports of players that were set back, by violation.
  std::array<std::uint64_t, movement::kViolations> corrections{};

  SightCounters& operator+=(const SightCounters& more);
};

class TickStore {
 public:
  /// Where bytes lie: views would not outlive the next ones.
  struct Place {
    std::uint64_t tick = 0;  ///< another one than tick(): gone
    std::size_t at = 0;
    std::size_t size = 0;
  };

  explicit TickStore(const movement::MoveGrid& grid) : encoder_(grid), grid_(grid) {}

  /// A tick begins: what was stored is gone. `number` is that of the space, `time` server time in
  /// ms, which wraps.
  void begin(std::uint64_t number, std::uint32_t time) {
    ++tick_;
    number_ = static_cast<std::uint32_t>(number);
    time_ = time;
    bytes_.clear();
  }
  /// Counts begin(); 0 before the first.
  std::uint64_t tick() const { return tick_; }
  std::uint32_t number() const { return number_; }
  std::uint32_t time() const { return time_; }
  const movement::MoveGrid& grid() const { return grid_; }
  const movement::MoveEncoder& encoder() const { return encoder_; }

  /// kTickBytes are reached: nothing more is to be stored in this tick.
  bool full() const;
  /// To append to; then stored() from where it ended before.
  bus::Bytes& bytes() { return bytes_; }
  Place stored(std::size_t from) const { return {tick_, from, bytes_.size() - from}; }
  bool has(const Place& place) const { return place.tick == tick_ && tick_ != 0; }
  /// Valid until more is stored.
  bus::ByteView view(const Place& place) const {
    return bus::ByteView(bytes_).subspan(place.at, place.size);
  }

  SightCounters& counters() { return counters_; }
  const SightCounters& counters() const { return counters_; }

 private:
  movement::MoveEncoder encoder_;
  movement::MoveGrid grid_;
  bus::Bytes bytes_;
  std::uint64_t tick_ = 0;
  std::uint32_t number_ = 0;
  std::uint32_t time_ = 0;
  SightCounters counters_;
};

}  // namespace starbus::nodes::sight
