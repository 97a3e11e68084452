// The measured cases: which daemon is replaced, in which way, and whose messages that concerns.
#pragma once

#include <string>
#include <vector>

#include "bench/bus/plan.hpp"

namespace starbus::bench::restarts {

enum class Way {
  kNone,      // nothing is replaced: what the machine itself does
  kTakeover,  // the new one is started with --takeover
  kRestart,   // SIGTERM, and started when it has ended
  kKill,      // SIGKILL, and started after the pause of its supervisor
};

// Streams go from a process on kSenderHost to owners there and on kOwnerHost.
constexpr int kSenderHost = 0;
constexpr int kOwnerHost = 1;

struct Case {
  std::string name;  // DAEMON.WAY, or "undisturbed"
  Way way = Way::kNone;
  int host = 0;  // whose daemon; kRoot for the root

  // Whether messages to this owner have their way through the daemon; without one, all count.
  bool concerns(Address owner) const;
};

std::vector<Case> all_cases();

}  // namespace starbus::bench::restarts
