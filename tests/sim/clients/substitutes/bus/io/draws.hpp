/// In place of bus/io/draws.hpp: draws that follow from the seed.
#pragma once

#include "tests/sim/clients/machine.hpp"

namespace starbus::bus::io {

inline constexpr auto fill_random = [](std::span<std::byte> bytes) { sim::fill_by_machine(bytes); };
inline constexpr auto draw_number = [] { return sim::draw_by_machine(); };
inline constexpr auto draw_incarnation = [] { return sim::incarnation_by_machine(); };

}  // namespace starbus::bus::io
