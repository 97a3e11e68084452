/// Numbered things that must come once each, and in order.
#pragma once

#include <cstdint>

namespace starbus {

struct Stream {
  std::uint64_t sent = 0;
  std::uint64_t last = 0;
  std::uint64_t wrong = 0;  // lost, doubled, or out of order
  std::uint64_t next() { return ++sent; }
  void got(std::uint64_t number) {
    if (number != last + 1) ++wrong;
    last = number;
  }
};

}  // namespace starbus
