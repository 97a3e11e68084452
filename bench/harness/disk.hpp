// The disk under a benchmark: what kind it is, and what an fsync on it costs.
#pragma once

#include <string>

#include "base/histogram.hpp"
#include "bench/harness/result.hpp"

namespace starbus::bench {

// The name of the file system of a folder, as /proc/self/mountinfo has it. Refuses one in memory,
// where an fsync is nothing.
Result<std::string> file_system_of(const std::string& folder);

// Appends so many bytes and asks the disk for them (fdatasync), again and again: nanoseconds.
Result<Histogram> measure_fsync(const std::string& folder, std::size_t bytes, int times);

// All writes below this empty folder are synchronous from now on (chattr +S).
Result<void> make_synchronous(const std::string& folder);

}  // namespace starbus::bench
