// Where a walker begins: it follows from its number, here and in colyseus/paths.js.
#pragma once

#include "tools/bots/paths.hpp"

namespace starbus::bench::space {

struct Start {
  float x = 0;  // m
  float y = 0;
};

// Of a square of that side, `margin` within it. The seed is another one than that of the goals.
inline Start start_of(std::uint32_t paths, std::uint32_t bot, float side, float margin) {
  const auto place = [&](std::uint32_t draw) {
    const double chance = bots::chance_of(paths + 1, bot, draw);
    return static_cast<float>(margin + (side - 2 * margin) * chance);
  };
  return {place(0), place(1)};
}

}  // namespace starbus::bench::space
