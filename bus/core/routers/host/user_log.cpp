#include "bus/core/routers/host/user_log.hpp"

#include "bus/core/routers/limits.hpp"

namespace starbus::bus {

void UserLog::line(std::uint32_t uid, RouterShell::Level level, const std::string& text) {
  User& user = users_.try_emplace(uid, User{.since = links_.now()}).first->second;
  if (!user.lines.open(kUserLines, links_.now())) {
    ++user.left_out;
    return;
  }
  user.lines.take(1);
  links_.log(level, text);
}

void UserLog::tick() {
  for (auto at = users_.begin(); at != users_.end();) {
    auto& [uid, user] = *at;
    const bool due = links_.now() - user.since >= kUserLogReport;
    if (due && user.left_out == 0) {
      at = users_.erase(at);
      continue;
    }
    if (due) report(uid, user);
    ++at;
  }
}

void UserLog::report(std::uint32_t uid, User& user) {
  links_.log(RouterShell::Level::warning, "uid " + std::to_string(uid) + ": " +
                                              std::to_string(user.left_out) +
                                              " more lines about its processes were left out");
  user.left_out = 0;
  user.since = links_.now();
}

}  // namespace starbus::bus
