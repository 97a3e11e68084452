#include "bus/core/routers/host/user_log.hpp"

namespace starbus::bus {

void UserLog::line(std::uint32_t uid, RouterShell::Level level, const std::string& text) {
  const auto left_out = [this](std::uint32_t of, std::uint64_t count) { report(of, count); };
  if (lines_.allow(uid, links_.now(), left_out)) links_.log(level, text);
}

void UserLog::tick() {
  lines_.sweep(links_.now(),
               [this](std::uint32_t uid, std::uint64_t left_out) { report(uid, left_out); });
}

void UserLog::report(std::uint32_t uid, std::uint64_t left_out) {
  links_.log(RouterShell::Level::warning, "uid " + std::to_string(uid) + ": " +
                                              std::to_string(left_out) +
                                              " more lines about its processes were left out");
}

}  // namespace starbus::bus
