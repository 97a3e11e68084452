#include "nodes/manager/placement/setbacks.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "nodes/manager/placement/limits.hpp"

namespace starbus::nodes::manager {

using service::InstanceId;
using std::chrono::milliseconds;

namespace {

/// None for the first death, which may have had any reason; then it doubles.
milliseconds pause_after(std::uint32_t deaths) {
  if (deaths < 2) return milliseconds(0);
  milliseconds pause = kDeathPause;
  for (std::uint32_t i = 2; i < deaths && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

bool is_over(const Setbacks::Record& record, Setbacks::Time now) {
  return !record.quarantined && record.until <= now && now - record.latest >= kDeathWindow;
}

}  // namespace

void Setbacks::failed(const InstanceId& id, const std::string& process, Time now) {
  avoid_[{id, process}] = now + kAvoid;
}

void Setbacks::died(const std::string& process, const std::vector<InstanceId>& young, Time now) {
  std::erase_if(records_, [&](const auto& item) { return is_over(item.second, now); });
  const auto is_known = [this](const InstanceId& id) { return records_.contains(id); };
  const bool some_known = std::ranges::any_of(young, is_known);
  for (const InstanceId& id : young) {
    if (!some_known || is_known(id)) blame(id, process, young.size() == 1, now);
  }
}

void Setbacks::blame(const InstanceId& id, const std::string& process, bool alone, Time now) {
  Record& record = records_[id];
  ++record.deaths;
  if (alone) ++record.sole;
  record.latest = now;
  record.host = process;
  const milliseconds pause = pause_after(record.deaths);
  record.until = now + pause;
  if (record.sole >= kSoleDeaths) {
    record.quarantined = true;
    spdlog::error(
        "{} is in quarantine: {} hosts died while it started or was young, {} last; "
        "bustop cluster --release {} ends that",
        service::to_string(id), record.deaths, process, service::to_string(id));
  } else if (pause.count() > 0) {
    spdlog::error("{} pauses for {} ms: {} hosts died while it started or was young, {} last",
                  service::to_string(id), pause.count(), record.deaths, process);
  }
}

void Setbacks::settled(const InstanceId& id) {
  records_.erase(id);
}

bool Setbacks::release(const InstanceId& id) {
  return records_.erase(id) != 0;
}

std::size_t Setbacks::quarantined() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(records_, [](const auto& item) { return item.second.quarantined; }));
}

void Setbacks::tidy(const std::vector<WantedType>& wanted, Time now) {
  std::erase_if(avoid_, [&](const auto& item) { return item.second <= now; });
  std::erase_if(records_, [&](const auto& item) {
    const InstanceId& id = item.first;
    const auto type = std::ranges::find(wanted, id.type, &WantedType::type);
    return is_over(item.second, now) || type == wanted.end() || !type->has(id);
  });
}

void Setbacks::tell(PlanInput& input, Time now) const {
  for (const auto& [key, until] : avoid_) input.avoid.insert(key);
  for (const auto& [id, record] : records_) {
    if (record.quarantined) {
      input.nowhere.emplace(id, "quarantine:");
    } else if (record.until > now) {
      input.nowhere.emplace(id, "pause for deaths of hosts:");
    }
    if (record.deaths >= 2) input.apart.insert(id);
  }
}

}  // namespace starbus::nodes::manager
