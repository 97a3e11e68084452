#pragma once

#include <cstdint>
#include <optional>

#include "bus/core/lanes.hpp"

namespace starbus::busd {

/// Clock ticks from the boot of the machine to the start of a process; 0 if there is none of that
/// number. Any thread; reads /proc.
std::uint64_t start_ticks(std::int64_t pid);
/// The same by the clock of links (bus::io::boot_now), to 10 ms, rounded down.
std::optional<bus::Time> start_of(std::int64_t pid);

}  // namespace starbus::busd
