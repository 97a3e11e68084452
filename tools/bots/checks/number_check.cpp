#include "tools/bots/checks/number_check.hpp"

#include <algorithm>

#include "tools/bots/limits.hpp"

namespace starbus::bots {
namespace {

/// As gates remember announcements: what is further behind is not told again.
constexpr std::uint64_t kWindow = 64;

}  // namespace

NumberCheck::Shown NumberCheck::heard(std::string_view origin, std::uint64_t life,
                                      std::uint64_t number) {
  auto at = streams_.find(origin);
  if (at == streams_.end()) {
    if (streams_.size() == kOrigins) forget_one();
    at = streams_.emplace(std::string(origin), Stream{life, number, 0, ++heard_, false}).first;
    return {};  // where it begins for this bot
  }
  at->second.heard_at = ++heard_;
  return of_ == Of::subject ? of_subject(at->second, life, number)
                            : of_group(at->second, life, number);
}

void NumberCheck::renewed() {
  for (auto& [origin, stream] : streams_) stream.fresh = true;
}

NumberCheck::Shown NumberCheck::of_subject(Stream& stream, std::uint64_t life,
                                           std::uint64_t number) {
  Shown shown;
  if (life != stream.life) stream.last = 0;
  const std::uint64_t next = stream.last + 1;
  shown.expected = next;
  if (number < next) {
    shown.good = false;
    shown.broken = Broken::twice;
    return shown;
  }
  if (number > next && stream.fresh) shown.passed_over = number - next;
  if (number > next && !stream.fresh) shown.good = false;
  stream.life = life;
  stream.last = number;
  stream.fresh = false;
  return shown;
}

NumberCheck::Shown NumberCheck::of_group(Stream& stream, std::uint64_t life, std::uint64_t number) {
  Shown shown;
  if (life != stream.life) {
    stream.life = life;
    stream.last = number;
    stream.before = 0;
    stream.fresh = false;
    return shown;
  }
  shown.expected = stream.last + 1;
  if (number > stream.last) {
    const std::uint64_t ahead = number - stream.last;
    if (!stream.fresh) shown.missing = static_cast<std::int64_t>(ahead) - 1;
    stream.before = ahead < kWindow ? stream.before << ahead : 0;
    if (ahead <= kWindow) stream.before |= std::uint64_t{1} << (ahead - 1);
    stream.last = number;
    stream.fresh = false;
    return shown;
  }
  const std::uint64_t behind = stream.last - number;
  const bool known = behind == 0 || behind > kWindow;
  const std::uint64_t bit = known ? 0 : std::uint64_t{1} << (behind - 1);
  if (known || (stream.before & bit) != 0) {
    shown.good = false;
    shown.broken = Broken::twice;
    return shown;
  }
  stream.before |= bit;  // late, by way of another gate
  shown.missing = -1;
  return shown;
}

void NumberCheck::forget_one() {
  const auto oldest =
      std::ranges::min_element(streams_, {}, [](const auto& each) { return each.second.heard_at; });
  streams_.erase(oldest);
}

}  // namespace starbus::bots
