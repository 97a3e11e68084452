#include "nodes/space/movement/client_clock.hpp"

#include <algorithm>
#include <utility>

#include "nodes/space/movement/limits.hpp"
#include "nodes/space/movement/locomotion.hpp"

namespace starbus::nodes::movement {

Stamp ClientClock::take(std::uint32_t client_ms, std::int64_t now, double allowance) {
  const std::int32_t passed = since(client_ms, client_ms_);
  const auto here = static_cast<double>(std::max<std::int64_t>(now - now_, 0));
  const bool first = !std::exchange(heard_, true);
  client_ms_ = client_ms;
  now_ = first ? now : std::max(now_, now);
  if (first) return Stamp::good;
  if (passed <= 0) {
    lead_ = 0;
    return Stamp::backwards;
  }
  constexpr double kPace = 1 + static_cast<double>(kTolerance) / 1000;
  lead_ = std::max(lead_ + passed - here * kPace, 0.0);
  if (lead_ <= allowance) return Stamp::good;
  lead_ = 0;
  return Stamp::fast;
}

}  // namespace starbus::nodes::movement
