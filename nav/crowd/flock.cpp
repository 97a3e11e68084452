#include "nav/crowd/flock.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace starbus::nav::crowd {
namespace {

// Bins along a side of the torus: at least three different ones around each.
constexpr std::uint32_t kLeastBinBits = 3;
constexpr std::uint32_t kMostBinBits = 8;
bool positive(float value) {
  return std::isfinite(value) && value > 0;
}

bool not_negative(float value) {
  return std::isfinite(value) && value >= 0;
}

}  // namespace

Result<std::unique_ptr<Flock>> Flock::create(const grid::GridGround& ground, AgentId agent,
                                             const FlockOptions& options) {
  const grid::Layer* const layer = ground.layer(agent);
  if (layer == nullptr) return Errc::unknown_agent;
  if (options.units == 0) return Error(Errc::bad_option, "units");
  if (options.units > kMaxUnits) return Error(Errc::too_large, "kMaxUnits");
  if (!positive(options.radius) || !positive(options.speed) || !positive(options.acceleration) ||
      !positive(options.range)) {
    return Error(Errc::bad_option, "radius, speed, acceleration or range");
  }
  if (!not_negative(options.separation) || !not_negative(options.alignment) ||
      !not_negative(options.cohesion)) {
    return Error(Errc::bad_option, "a weight");
  }
  return std::unique_ptr<Flock>(new Flock(ground, *layer, agent, options));
}

Flock::Flock(const grid::GridGround& ground, const grid::Layer& layer, AgentId agent,
             const FlockOptions& options)
    : ground_(ground),
      layer_(layer),
      agent_(agent),
      options_(options),
      size_(static_cast<float>(ground.unit() * grid::kStraight)),
      per_metre_(1 / size_),
      origin_(flat(ground.bounds().low)),
      layer_version_(layer.version()) {
  const std::size_t most = options.units;
  bits_ = std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::bit_width(most)) / 2,
                                    kLeastBinBits, kMostBinBits);
  slots_.reserve(most);
  free_.reserve(most);
  units_.reserve(most);
  sorted_.reserve(most);
  around_.reserve(most);
  bins_.reserve(most);
  starts_.resize((std::size_t{1} << (2 * bits_)) + 1);
}

Vec Flock::within(const Place& place) const {
  return flat(place.point) - origin_;
}

// Of a point within the grid.
grid::Cell Flock::cell_of(Vec at) const {
  const auto one = [&](float value, std::uint32_t count) {
    return static_cast<std::uint16_t>(
        std::clamp(value * per_metre_, 0.0F, static_cast<float>(count) - 0.5F));
  };
  return {one(at.x, layer_.layout().width), one(at.y, layer_.layout().height)};
}

// -- Groups and units

Result<void> Flock::check(const grid::FlowField& field, const Place& goal) const {
  if (field.version() == 0) return Error(Errc::bad_option, "field: not built");
  const auto cell = ground_.cell(goal);
  if (!cell || !layer_.passable(*cell)) return Errc::bad_goal;
  return {};
}

Result<GroupId> Flock::add_group(const grid::FlowField& field, const Place& goal) {
  if (auto fits = check(field, goal); !fits) return fits.error();
  if (groups_.size() == kMaxGroups) return Error(Errc::too_many, "kMaxGroups");
  groups_.emplace_back();
  const GroupId id{static_cast<std::uint32_t>(groups_.size())};
  if (auto sent = send(id, field, goal); !sent) return sent.error();
  return id;
}

Result<void> Flock::send(GroupId id, const grid::FlowField& field, const Place& goal) {
  if (id.value == 0 || id.value > groups_.size()) return Errc::unknown_walker;
  if (auto fits = check(field, goal); !fits) return fits;
  Group& group = groups_[id.value - 1];
  group.field = &field;
  group.goal = within(goal);
  group.goal_cell = *ground_.cell(goal);
  group.arrived = 0;
  for (Unit& unit : units_) {
    if (unit.group == id.value - 1) unit.arrived = false;
  }
  return {};
}

Result<UnitId> Flock::add(GroupId id, const Place& at) {
  if (id.value == 0 || id.value > groups_.size()) return Errc::unknown_walker;
  const auto cell = ground_.cell(at);
  if (!cell || !layer_.passable(*cell)) return Errc::bad_start;
  if (units_.size() == options_.units) return Error(Errc::too_many, "units");
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  slots_[slot].alive = true;
  slots_[slot].unit = static_cast<std::uint32_t>(units_.size());
  ++slots_[slot].generation;
  Unit unit;
  unit.at = within(at);
  unit.slot = slot;
  unit.group = id.value - 1;
  unit.cell = *cell;
  units_.push_back(unit);
  around_.emplace_back();
  ++groups_[unit.group].units;
  return UnitId{slot + 1, slots_[slot].generation};
}

const Flock::Slot* Flock::find(UnitId id) const {
  if (id.slot == 0 || id.slot > slots_.size()) return nullptr;
  const Slot& slot = slots_[id.slot - 1];
  return slot.alive && slot.generation == id.generation ? &slot : nullptr;
}

Result<void> Flock::remove(UnitId id) {
  const Slot* const found = find(id);
  if (found == nullptr) return Errc::unknown_walker;
  Slot& slot = slots_[id.slot - 1];
  Unit& unit = units_[slot.unit];
  Group& group = groups_[unit.group];
  --group.units;
  if (unit.arrived) --group.arrived;
  unit = units_.back();
  slots_[unit.slot].unit = slot.unit;
  units_.pop_back();
  around_[slot.unit] = around_.back();
  around_.pop_back();
  slot.alive = false;
  free_.push_back(id.slot - 1);
  return {};
}

Result<UnitState> Flock::unit(UnitId id) const {
  const Slot* const slot = find(id);
  if (slot == nullptr) return Errc::unknown_walker;
  const Unit& unit = units_[slot->unit];
  UnitState state;
  state.place = ground_.place(unit.cell);
  state.place.point.x = unit.at.x + origin_.x;
  state.place.point.y = unit.at.y + origin_.y;
  state.velocity = {unit.velocity.x, unit.velocity.y, 0};
  state.group = {unit.group + 1};
  state.arrived = unit.arrived;
  return state;
}

Result<GroupState> Flock::group(GroupId id) const {
  if (id.value == 0 || id.value > groups_.size()) return Errc::unknown_walker;
  const Group& group = groups_[id.value - 1];
  return GroupState{.units = group.units,
                    .arrived = group.arrived,
                    .strays = group.strays,
                    .radius = group.radius,
                    .old_field = group.field->version() != layer_.version()};
}

}  // namespace starbus::nav::crowd
