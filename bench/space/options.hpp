// What can be chosen for a run, and what a crowd is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starbus::bench::space {

struct Options {
  std::size_t walkers = 1'000;  // in a square kilometre
  std::size_t many = 2'000;     // likewise
  std::size_t crowd = 300;      // in one spot
  std::size_t posers = 100;     // who stand, and change
  double seconds = 20;          // measured time of one run
  double warm_up = 10;          // seconds before: a window of the node's figures (kTickWindow)
  bool pin = true;              // the measured server has a core of its own
  int ticks = 300;              // of the cases in one process
};

// Players in one space, who walk, or stand and change a byte.
struct Crowd {
  std::size_t players = 0;
  float side = 0;                // m: of the square in which they begin, and walk
  float range = 0;               // m: around where they have begun
  std::size_t view = 100;        // whom one sees at most: the nearest
  std::uint64_t news_every = 0;  // ticks between two changes of each; 0: they walk
  float radius = 30;             // m: of sight
  float speed = 5;               // m/s
  std::uint32_t paths = 7;       // the seed of their ways
};

}  // namespace starbus::bench::space
