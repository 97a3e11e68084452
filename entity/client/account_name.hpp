#pragma once

#include <string>
#include <string_view>

namespace starbus::entity::sessions {

/// What the channels of accounts begin with.
inline constexpr std::string_view kAccountPrefix = "account/";

/// The channel of an account: "account/NAME".
inline std::string account_channel(std::string_view name) {
  return std::string(kAccountPrefix).append(name);
}

}  // namespace starbus::entity::sessions
