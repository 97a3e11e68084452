#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace starbus::storage {

/// Keys as text for people, tokens and notes: two digits of a-f and 0-9 for each byte.
std::string hex_of(std::string_view bytes);

/// No value: it is not what hex_of writes.
std::optional<std::string> bytes_of_hex(std::string_view hex);

}  // namespace starbus::storage
