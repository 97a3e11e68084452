#include "clients/cpp/stubs.hpp"

namespace starbus::game {

std::string_view name_of(Came came) {
  constexpr std::string_view kNames[] = {"replied",    "refused",   "failed", "unreadable",
                                         "reply_lost", "not_begun", "unknown"};
  return kNames[static_cast<std::size_t>(came)];
}

std::string_view name_of(Heard heard) {
  constexpr std::string_view kNames[] = {"called", "unknown", "differs", "unreadable"};
  return kNames[static_cast<std::size_t>(heard)];
}

}  // namespace starbus::game
