#include "storage/erase_pace.hpp"

#include <algorithm>
#include <utility>

#include "storage/limits.hpp"

namespace starbus::storage {
namespace {

constexpr unsigned kMostPressure = 8;  // chunks have reached kRangeHurry, and rests are short

}  // namespace

unsigned ErasePace::pressure(Clock::time_point now) const {
  if (!since_) return 0;
  const auto periods = (now - *since_) / kRangePatience;
  return static_cast<unsigned>(std::clamp<decltype(periods)>(periods, 0, kMostPressure));
}

ErasePace::Clock::duration ErasePace::wait(Clock::time_point now) const {
  return std::max(next_ - now, Clock::duration::zero());
}

std::size_t ErasePace::keys(Clock::time_point now) const {
  return std::min<std::size_t>(kRangeChunk << pressure(now), kRangeHurry);
}

void ErasePace::erased(Clock::time_point begin, Clock::time_point end) {
  next_ = end;
  if (std::exchange(busy_, false)) next_ += (end - begin) * int{kRangeRest} / (1 << pressure(end));
}

}  // namespace starbus::storage
