#include "clients/cpp/server_clock.hpp"

#include <algorithm>

namespace starbus::game {
namespace {

/// A gate that does not say its time, or says nonsense, is not asked for it.
constexpr std::uint64_t kLatest = std::uint64_t{1} << 53;

}  // namespace

void ServerClock::sample(Time sent, Time now, std::uint64_t here) {
  const milliseconds taken = std::max(now - sent, milliseconds(0));
  round_trip_ = round_trip_ ? (*round_trip_ * 7 + taken) / 8 : taken;
  if (here == 0 || here > kLatest) return;
  const milliseconds then(static_cast<std::int64_t>(here));
  samples_[count_++ % samples_.size()] = {taken, then + taken / 2 - now};
}

std::optional<milliseconds> ServerClock::at(Time now) const {
  if (count_ == 0) return std::nullopt;
  const auto known = static_cast<std::ptrdiff_t>(std::min(count_, samples_.size()));
  const auto best = std::min_element(
      samples_.begin(), samples_.begin() + known,
      [](const Sample& a, const Sample& b) { return a.round_trip < b.round_trip; });
  return now + best->ahead;
}

}  // namespace starbus::game
