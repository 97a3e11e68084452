#include <chrono>
#include <csignal>
#include <iostream>

#include "daemon/stop_signals.hpp"
#include "tools/bots/cli.hpp"
#include "tools/terminal/standard_output.hpp"

namespace {

volatile std::sig_atomic_t stops = 0;

/// Of a process and its group two come at once, which are one.
void stop(int signal) {
  using starbus::daemon::StopSignals;
  static StopSignals signals;
  const auto meaning = signals.take(signal == SIGINT, std::chrono::steady_clock::now());
  if (meaning == StopSignals::Meaning::stop) stops = 1;
  if (meaning == StopSignals::Meaning::at_once) stops = 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  starbus::tools::StandardOutput out;
  const int code = starbus::bots::run_bots({argv + 1, argv + argc},
                                           {std::cout, std::cerr, [] { return int{stops}; }});
  return out.finish(code, "starbus-bots");
}
