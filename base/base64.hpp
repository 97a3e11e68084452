/// Base64 of RFC 4648, section 4, with padding. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace starbus {

/// Four characters for each three bytes.
std::string to_base64(std::string_view bytes);
/// nullopt for what to_base64() does not write.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace starbus
