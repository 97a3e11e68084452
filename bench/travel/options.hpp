// What can be chosen for a run.
#pragma once

#include <cstddef>

namespace starbus::bench::travel {

struct Options {
  std::size_t riders = 100;     // clients whose players travel
  int trips = 100;              // of each
  int stay_ms = 400;            // between two of them, on average
  int count_ms = 20;            // a player says its next number to its client so often
  int word_ms = 100;            // a process of each host sends its next number to each player
  int ask_ms = 100;             // a client asks its next request
  std::size_t players = 1'000;  // of a node that drains
};

}  // namespace starbus::bench::travel
