#include "mail/attempts.hpp"

#include <algorithm>
#include <limits>

namespace starbus::mail {

const Attempts::Session* Attempts::find(const ChannelId& box) const {
  for (const Generation* const sessions : {&young_, &old_}) {
    const auto found = sessions->find(box);
    if (found != sessions->end()) return &found->second;
  }
  return nullptr;
}

void Attempts::ended(const ChannelId& box, const Session& session) {
  Session now = session;
  const Session* const before = find(box);
  if (before != nullptr && !before->closed && before->process == session.process) {
    now.first = before->first;
    now.attempts = before->attempts;
    now.sent = std::max(before->sent, session.sent);
  }
  old_.erase(box);
  young_[box] = now;
  if (young_.size() >= most_) old_ = std::exchange(young_, {});
}

void Attempts::settled(const ChannelId& box) {
  young_.erase(box);
  old_.erase(box);
}

std::uint32_t Attempts::of(const ChannelId& box, const Process& process,
                           std::uint64_t number) const {
  const Session* const before = find(box);
  if (before == nullptr || number > before->sent) return 1;
  const std::uint32_t known = number == before->first ? before->attempts : 1;
  const bool goes_on = before->closed || before->process == process;
  if (goes_on || known == std::numeric_limits<std::uint32_t>::max()) return known;
  return known + 1;
}

}  // namespace starbus::mail
