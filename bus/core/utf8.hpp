/// Whether bytes are text. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace starbus::bus {

/// Length of the well-formed UTF-8 sequence at the start of `text`, which is not empty; 0 if there
/// is none.
std::size_t utf8_sequence(std::string_view text);
bool is_utf8(std::string_view text);

}  // namespace starbus::bus
