#include "clients/cpp/space/remote_clock.hpp"

#include <algorithm>

#include "clients/cpp/space/locomotion.hpp"

namespace starbus::game {
namespace {

// A clock that runs slower than ours would seem to be ever further behind its fastest message. So
// that message counts for less by this share of the time: ten times what crystals differ by.
constexpr double kForgotten = 0.001;

}  // namespace

void RemoteClock::heard(std::uint32_t remote, std::int64_t local) {
  const std::int64_t wide = widened(remote);
  const auto ahead = static_cast<double>(wide - local);
  ahead_ = heard_ ? std::max(ahead_at(local), ahead) : ahead;
  if (!heard_ || wide > wide_) {
    wide_ = wide;
    remote_ = remote;
  }
  local_ = heard_ ? std::max(local_, local) : local;
  heard_ = true;
}

double RemoteClock::remote_at(std::int64_t local) const {
  return heard_ ? static_cast<double>(local) + ahead_at(local) : 0;
}

double RemoteClock::local_at(std::uint32_t remote) const {
  return static_cast<double>(widened(remote)) - ahead_;
}

double RemoteClock::ahead_at(std::int64_t local) const {
  const std::int64_t passed = std::max<std::int64_t>(local - local_, 0);
  return ahead_ - kForgotten * static_cast<double>(passed);
}

std::int64_t RemoteClock::widened(std::uint32_t remote) const {
  return heard_ ? wide_ + since(remote, remote_) : static_cast<std::int64_t>(remote);
}

}  // namespace starbus::game
