// The processes of the moves benchmark: two places between which a channel goes to and fro, and a
// sender that never pauses. Each speaks to the driver by its standard input and output.
#pragma once

#include <string>

namespace starbus::bench {

struct MoveRole {
  std::string endpoint;
  std::string node;
  std::string other;     // of a place: HOST.NODE that the channel goes to
  bool begins = false;   // of a place: the channel is here at first
  double rate = 10'000;  // messages per second
  double seconds = 5;
  int stay_ms = 50;  // how long the channel stays at a place
};

// Prints "ready"; at a line on standard input stops moving, and prints {"silences": [us...],
// "handled": n, "wrong": n}.
int run_place(const MoveRole& role);
// Sends for `seconds`, waits until all is handled, and prints {"sent": n}.
int run_sender(const MoveRole& role);

}  // namespace starbus::bench
