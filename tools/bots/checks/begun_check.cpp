#include "tools/bots/checks/begun_check.hpp"

namespace starbus::bots {

std::uint64_t BegunCheck::asked() {
  entries_.emplace_back();
  return first_ + entries_.size() - 1;
}

std::optional<BegunCheck::Wrong> BegunCheck::ended(std::uint64_t request, game::Fate fate,
                                                   std::optional<Count> count) {
  if (request < first_ || request - first_ >= entries_.size()) return std::nullopt;
  entries_[static_cast<std::size_t>(request - first_)] = {fate, count};
  std::optional<Wrong> wrong;
  while (!entries_.empty() && entries_.front().fate) {
    const auto judged = judge(entries_.front());
    if (!wrong) wrong = judged;
    entries_.pop_front();
    ++first_;
  }
  return wrong;
}

std::optional<BegunCheck::Wrong> BegunCheck::judge(const Entry& entry) {
  switch (*entry.fate) {
    case game::Fate::not_begun:
      return std::nullopt;
    case game::Fate::reply_lost:
      ++least_;
      ++most_;
      return std::nullopt;
    case game::Fate::unknown:
      ++most_;
      return std::nullopt;
    case game::Fate::replied:
      break;
  }
  if (!entry.count) {  // an error: it may have been begun before
    ++most_;
    return std::nullopt;
  }
  const Count count = *entry.count;
  const bool fits = life_ != count.life || (count.begun > least_ && count.begun <= most_ + 1);
  const Wrong wrong{least_ + 1, most_ + 1, count.begun};
  life_ = count.life;
  least_ = most_ = count.begun;
  return fits ? std::nullopt : std::optional(wrong);
}

}  // namespace starbus::bots
