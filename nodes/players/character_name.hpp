/// Names of characters, as players type them. Pure; any thread.
#pragma once

#include <algorithm>
#include <string_view>

#include "bus/core/utf8.hpp"
#include "nodes/players/limits.hpp"

namespace starbus::nodes::players {

/// Whether a character may have this name: 1 to kCharacterName bytes of UTF-8, without control
/// characters. What else it must be is the game's affair (Account::may_create).
inline bool is_character_name(std::string_view name) {
  const bool shown = std::ranges::none_of(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return !name.empty() && name.size() <= kCharacterName && shown && bus::is_utf8(name);
}

}  // namespace starbus::nodes::players
