// What can be chosen for a run.
#pragma once

#include <cstddef>

namespace starbus::bench::gate {

struct Options {
  std::size_t idle = 10'000;   // clients that do nothing
  std::size_t active = 5'000;  // clients that ask, and that hear announcements
  double rate = 10;            // requests of an active client in a second
  std::size_t bytes = 64;      // of a request: 16 to 127
  std::size_t colyseus = 500;  // clients of its room: one process of Node.js takes no more
  double seconds = 10;         // measured time of one run
  int announcements = 20;
  int cuts = 1'000;
  int takeovers = 10'000;
  int drains = 200;
  int kills = 50;
  int logins = 2'000;      // of the storm
  int sessions = 100'000;  // created and ended
};

}  // namespace starbus::bench::gate
