/// What this process takes of its host. Any thread.
#pragma once

#include <cstdint>

namespace starbus::bots {

/// Seconds of processor time, of all threads.
double cpu_seconds();
/// Resident bytes; 0: not known.
std::uint64_t resident_bytes();
/// Files that may be open, after the limit was raised as far as the system allows.
std::uint64_t raise_open_files();

}  // namespace starbus::bots
