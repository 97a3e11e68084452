// What can be chosen for a run.
#pragma once

namespace starbus::bench::restarts {

struct Options {
  int replacements = 100;
  double pause_ms = 250;  // from the end of one silence to the next replacement, without its jitter
  double rate = 500;      // messages per second and channel
  int channels = 6;
  bool keep = false;  // the folders
};

}  // namespace starbus::bench::restarts
