#include "entity/properties/flags.hpp"

#include <array>

namespace starbus::entity {

std::string_view name_of(View view) {
  constexpr std::array<std::string_view, kViews> kNames = {"ghost", "other_clients", "own_client",
                                                           "save",  "cache",         "migration"};
  return kNames.at(static_cast<std::size_t>(view));
}

std::string to_string(Flags flags) {
  constexpr std::string_view kNames[] = {
      "ghost",       "other_clients", "own_client",  "save",        "cache",
      "server_only", "per_space",     "per_process", "per_session", "latest_only"};
  std::string text;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if ((static_cast<unsigned>(flags) >> i & 1U) == 0) continue;
    if (!text.empty()) text += '|';
    text += kNames[i];
  }
  return text;
}

}  // namespace starbus::entity
