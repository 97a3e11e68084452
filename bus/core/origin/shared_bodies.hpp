/// Bodies of multicasts: one copy for all receivers, until the last of them has let go. Owns its
/// bytes; one thread.
#pragma once

#include <vector>

#include "bus/core/bytes.hpp"

namespace starbus::bus {

class SharedBodies {
 public:
  using Place = std::uint32_t;  // from 1; 0: no shared body

  /// Copies a body; the caller is its first holder.
  Place add(ByteView head, ByteView body);
  void hold(Place place) { ++at(place).holders; }
  void drop(Place place);
  const Bytes& bytes(Place place) const { return bodies_[place - 1].bytes; }
  /// Bytes of all bodies that are held.
  std::uint64_t total() const { return total_; }

 private:
  struct Body {
    Bytes bytes;
    std::uint32_t holders = 0;
  };
  Body& at(Place place) { return bodies_[place - 1]; }

  std::vector<Body> bodies_;
  std::vector<Place> free_;
  std::uint64_t total_ = 0;
};

}  // namespace starbus::bus
