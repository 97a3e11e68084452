// Many calls to a process that is stopped: what their deadlines, which end at once, cost the loop
// of the caller. starbus alone: its library runs in the caller's loop.
#pragma once

#include <string>

#include "bench/harness/figures.hpp"
#include "bench/harness/result.hpp"

namespace starbus::bench {

constexpr const char* kDeadlinesCase = "call.stopped";

// A cluster of its own. "away": the longest time between two turns of the caller's loop while the
// calls end, in milliseconds. "ended": how many have ended by their deadline. "kept": memory of the
// process afterwards, beyond what it had before, in megabytes.
Result<Metrics> run_deadlines();

// The process that is called: binds its name, prints "ready" and waits to be ended.
int run_hung_callee(const std::string& endpoint);

}  // namespace starbus::bench
