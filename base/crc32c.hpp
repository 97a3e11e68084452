/// CRC-32C (Castagnoli), with the processor's instruction where it has one (SSE 4.2), else with a
/// table of Boost. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace starbus {

/// The CRC of `data`, going on from the CRC of what came before it; 0 to begin.
std::uint32_t crc32c(std::uint32_t before, std::string_view data);

/// The table's way, for a test that both agree.
std::uint32_t crc32c_portable(std::uint32_t before, std::string_view data);

}  // namespace starbus
