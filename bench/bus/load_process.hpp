// What a driver hears from its load processes: "ready", and later one line of JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/harness/process.hpp"

namespace starbus::bench {

// Waits until the process says that it is ready.
Result<void> await_ready(Process& process);

// Its next line of JSON, which may take `seconds` and then some; a failure that it reports is one.
Result<nlohmann::json> read_result(Process& process, double seconds);

}  // namespace starbus::bench
