#include "clients/cpp/route.hpp"

#include <algorithm>
#include <utility>

namespace starbus::game {

Route::Route(std::vector<std::string> addresses, std::uint64_t seed,
             std::optional<std::size_t> first)
    : addresses_(std::move(addresses)), random_(seed) {
  if (addresses_.size() > kAddresses) addresses_.resize(kAddresses);
  if (!addresses_.empty()) at_ = first.value_or(random_() % addresses_.size()) % addresses_.size();
}

void Route::start(Time now) {
  attempts_ = 0;
  named_.clear();
  due_ = now;
}

void Route::lost(Time now, milliseconds at_least, bool broke) {
  if (attempts_ != 0) return elsewhere(now, at_least, broke);
  due_ = now + std::max(pause(), at_least);
}

void Route::elsewhere(Time now, milliseconds at_least, bool broke) {
  if (!addresses_.empty()) at_ = (at_ + 1) % addresses_.size();
  const milliseconds paused = pause(broke ? kRetryBroken : kRetryMost);
  due_ = now + std::max(paused, at_least + below(at_least / 8));
}

void Route::go_to(std::string address, Time now) {
  if (address.find("://") != std::string::npos || address.find(':') == std::string::npos) {
    return elsewhere(now, milliseconds(0));
  }
  named_ = std::move(address);
  due_ = attempts_ <= 1 ? now : now + pause();
}

std::optional<std::string> Route::take(Time now) {
  if (now < due_) return std::nullopt;
  due_ = Time::max();
  if (addresses_.empty() && named_.empty()) return std::nullopt;
  ++attempts_;
  if (!named_.empty()) return std::exchange(named_, {});
  return addresses_[at_];
}

milliseconds Route::pause(milliseconds longest) {
  const unsigned doubled = std::min(attempts_, 8U);
  const milliseconds most = std::min(kRetryFirst * (1 << doubled), longest);
  return most / 2 + below(most / 2);
}

milliseconds Route::below(milliseconds bound) {
  if (bound <= milliseconds(0)) return milliseconds(0);
  return milliseconds(
      static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound.count())));
}

}  // namespace starbus::game
