#include "nodes/space/host/check_order.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "aoi/check.hpp"
#include "nodes/space/limits.hpp"
#include "nodes/space/registry/limits.hpp"

namespace starbus::nodes::space {
namespace {

using std::chrono::milliseconds;

Error bad(std::string text) {
  return {Errc::bad_request, std::move(text)};
}

Result<> check_count(std::string_view what, std::uint64_t value, std::uint64_t least,
                     std::uint64_t most) {
  if (value >= least && value <= most) return {};
  return bad(std::string(what) + ": " + std::to_string(value) + " is not " + std::to_string(least) +
             " to " + std::to_string(most));
}

Result<> check_time(std::string_view what, milliseconds value, milliseconds most) {
  if (value >= milliseconds(0) && value <= most) return {};
  return bad(std::string(what) + ": " + std::to_string(value.count()) + " ms is not 0 to " +
             std::to_string(most.count()));
}

/// Each comparison is false for what is not a number.
bool within(float value, float least, float most) {
  return value >= least && value <= most;
}

Result<> check_area(const SpaceType& type) {
  constexpr auto kEdge = static_cast<float>(aoi::kMaxCoordinate);
  constexpr auto kWidest = static_cast<float>(aoi::kMaxRadius);
  for (std::size_t i = 0; i < type.min.size(); ++i) {
    if (!within(type.min[i], -kEdge, kEdge) || !within(type.max[i], type.min[i], kEdge)) {
      return bad("the area: its corners are no corners");
    }
  }
  if (!within(type.sight, 0, kWidest) || !within(type.leave_margin, 0, kWidest) ||
      !within(type.cell, 1, kWidest)) {
    return bad("sight, leave_margin, or cell: out of bounds");
  }
  if (const auto checked = aoi::check(world_options(type)); !checked) {
    return bad("the area: " + checked.error().to_string());
  }
  return {};
}

Result<> check_create(const Create& create) {
  const SpaceType& type = create.type;
  Result<> checked = check_type(type.name);
  if (checked && create.name.place.type != type.name) {
    checked =
        bad("the name is of type '" + create.name.place.type + "', and not of '" + type.name + "'");
  }
  if (checked && !create.name.place.key.empty()) checked = check_key(create.name.place.key);
  if (checked) checked = check_count("line", create.name.line, 1, kMaxLines);
  if (checked) checked = check_count("capacity", type.capacity, 1, kMaxCapacity);
  if (checked) {
    checked = check_count("ticks_per_second", type.ticks_per_second, 1, kMaxTicksPerSecond);
  }
  if (checked) checked = check_count("setup", create.setup.size(), 0, kMaxSetup);
  if (checked) checked = check_count("labels", type.labels.size(), 0, kMaxSpaceLabels);
  if (checked && !type.next.empty()) checked = check_type(type.next);
  if (checked) checked = check_area(type);
  return checked;
}

Result<> check_reserve(const Reserve& reserve) {
  auto checked = check_count("tickets", reserve.tickets.size(), 1, kMaxTeam);
  if (!checked) return checked;
  auto sorted = reserve.tickets;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return bad("tickets: one is there twice");
  return check_time("hold", reserve.hold, kTicketHold);
}

}  // namespace

Result<> check(const Order& order) {
  if (const auto* const create = std::get_if<Create>(&order.what)) return check_create(*create);
  if (const auto* const reserve = std::get_if<Reserve>(&order.what)) return check_reserve(*reserve);
  if (const auto* const release = std::get_if<Release>(&order.what)) {
    return check_count("tickets", release->tickets.size(), 0, kMaxTeam);
  }
  if (const auto* const countdown = std::get_if<Countdown>(&order.what)) {
    return check_time("after", countdown->after, kLongestCountdown);
  }
  return {};
}

}  // namespace starbus::nodes::space
