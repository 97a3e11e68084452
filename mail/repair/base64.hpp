#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace starbus::mail {

/// RFC 4648, section 4, with padding: how bodies stand in JSON.
std::string to_base64(std::string_view bytes);
/// nullopt for what to_base64 does not write.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace starbus::mail
