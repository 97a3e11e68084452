// Replays a recording.
#include "aoi/replay/recording.hpp"
#include "aoi/replay/recording_format.hpp"

namespace starbus::aoi {
namespace {

Position get_position(Reader& in) {
  Position at;
  at.x = in.real();
  at.y = in.real();
  at.z = in.real();
  return at;
}
bool get_bool(Reader& in) {
  return in.number<std::uint8_t>() != 0;
}
template <class Enumeration>
Enumeration get_enumeration(Reader& in, Enumeration last, bool& good) {
  const auto value = in.number<std::uint8_t>();
  good = good && value <= static_cast<std::uint8_t>(last);
  return good ? static_cast<Enumeration>(value) : Enumeration{};
}
EntityOptions get_entity(Reader& in) {
  EntityOptions of;
  of.position = get_position(in);
  of.flags = in.number<std::uint64_t>();
  of.key = in.number<std::uint64_t>();
  of.weight = in.real();
  of.observable = get_bool(in);
  return of;
}
SensorOptions get_sensor(Reader& in, bool& good) {
  SensorOptions of;
  of.radius = in.real();
  of.leave_margin = in.real();
  of.min_height = in.real();
  of.max_height = in.real();
  of.filter.any = in.number<std::uint64_t>();
  of.filter.need = in.number<std::uint64_t>();
  of.filter.forbid = in.number<std::uint64_t>();
  of.limit.policy = get_enumeration(in, LimitPolicy::symmetric, good);
  of.limit.count = in.number<std::uint16_t>();
  of.limit.margin = in.real();
  of.sees_beacons = get_bool(in);
  of.indexed = get_bool(in);
  of.period = in.number<std::uint16_t>();
  of.priority = in.number<std::uint8_t>();
  return of;
}
WorldOptions get_world(Reader& in, bool& good) {
  WorldOptions of;
  of.backend = get_enumeration(in, Backend::brute_force, good);
  of.metric = get_enumeration(in, Metric::square, good);
  of.bounds.min = get_position(in);
  of.bounds.max = get_position(in);
  of.reach = in.real();
  of.quarantine = in.number<std::uint16_t>();
  of.symmetric.capacity = in.number<std::uint16_t>();
  of.symmetric.cell = in.real();
  of.symmetric.search_cell = in.real();
  for (float& band : of.symmetric.bands) band = in.real();
  of.symmetric.replace_within = in.real();
  of.symmetric.refresh = in.number<std::uint16_t>();
  of.budget.pair_tests = in.number<std::uint64_t>();
  of.budget.microseconds = in.number<std::uint32_t>();
  of.budget.max_staleness = in.number<std::uint16_t>();
  of.simd = get_enumeration(in, Simd::none, good);
  return of;
}
EntityId get_entity_id(Reader& in) {
  return EntityId{in.number<std::uint32_t>()};
}
SensorId get_sensor_id(Reader& in) {
  return SensorId{in.number<std::uint32_t>()};
}

// Reads one operation of a recording and does it if it is complete. An operation that a handler
// asked for may have been refused in the run, and is then refused again: that is not an error here.
class Step {
 public:
  Step(Reader& in, World& world) : in_(in), world_(world) {}

  /// Returns false if the bytes end before the operation is complete, or are malformed.
  bool run(Op op) {
    switch (op) {
      case Op::update:
        return in_.good() && world_.update().has_value();
      case Op::add:
        return add();
      case Op::remove:
        return with_entity([&](EntityId id) { (void)world_.remove(id); });
      case Op::move:
        return move();
      case Op::set_flags:
        return set_flags();
      case Op::set_weight:
        return set_weight();
      case Op::add_sensor:
        return add_sensor();
      case Op::remove_sensor:
        return remove_sensor();
      case Op::set_options:
        return set_options();
      case Op::set_radius:
        return set_radius();
      case Op::force:
        return force();
      case Op::set_beacon:
        return set_beacon();
      case Op::set_special:
        return set_special();
      case Op::adopt:
        return adopt();
      case Op::set_epoch:
        return set_epoch();
    }
    return false;
  }

 private:
  template <class Function>
  bool with_entity(const Function& function) {
    const EntityId id = get_entity_id(in_);
    if (!in_.good()) return false;
    function(id);
    return true;
  }
  bool add() {
    const EntityId id = get_entity_id(in_);
    const EntityOptions of = get_entity(in_);
    if (!in_.good()) return false;
    const auto added = world_.add(of);
    return added.has_value() && *added == id;
  }
  bool move() {
    const EntityId id = get_entity_id(in_);
    const Position to = get_position(in_);
    if (in_.good()) (void)world_.move(id, to);
    return in_.good();
  }
  bool set_flags() {
    const EntityId id = get_entity_id(in_);
    const auto flags = in_.number<std::uint64_t>();
    if (in_.good()) (void)world_.set_flags(id, flags);
    return in_.good();
  }
  bool set_weight() {
    const EntityId id = get_entity_id(in_);
    const float weight = in_.real();
    if (in_.good()) (void)world_.set_weight(id, weight);
    return in_.good();
  }
  bool add_sensor() {
    const SensorId id = get_sensor_id(in_);
    const EntityId owner = get_entity_id(in_);
    bool good = true;
    const SensorOptions of = get_sensor(in_, good);
    if (!in_.good() || !good) return false;
    const auto added = world_.add_sensor(owner, of);
    return added.has_value() && *added == id;
  }
  bool remove_sensor() {
    const SensorId id = get_sensor_id(in_);
    if (in_.good()) (void)world_.remove_sensor(id);
    return in_.good();
  }
  bool set_radius() {
    const SensorId id = get_sensor_id(in_);
    const float radius = in_.real();
    const float leave_margin = in_.real();
    if (in_.good()) (void)world_.set_radius(id, radius, leave_margin);
    return in_.good();
  }
  bool set_options() {
    const SensorId id = get_sensor_id(in_);
    bool good = true;
    const SensorOptions of = get_sensor(in_, good);
    if (!in_.good() || !good) return false;
    (void)world_.set_options(id, of);
    return true;
  }
  bool force() {
    const SensorId id = get_sensor_id(in_);
    const EntityId target = get_entity_id(in_);
    const bool on = get_bool(in_);
    if (in_.good()) (void)world_.force(id, target, on);
    return in_.good();
  }
  bool set_beacon() {
    const EntityId id = get_entity_id(in_);
    const bool on = get_bool(in_);
    if (in_.good()) (void)world_.set_beacon(id, on);
    return in_.good();
  }
  bool set_special() {
    const EntityId a = get_entity_id(in_);
    const EntityId b = get_entity_id(in_);
    const bool on = get_bool(in_);
    if (in_.good()) (void)world_.set_special(a, b, on);
    return in_.good();
  }
  bool adopt() {
    const SensorId id = get_sensor_id(in_);
    const auto count = in_.number<std::uint16_t>();
    std::vector<Adopted> targets;
    for (std::size_t i = 0; i < count && in_.good(); ++i) {
      const EntityId entity = get_entity_id(in_);
      targets.push_back({entity, get_bool(in_)});
    }
    if (in_.good()) (void)world_.adopt(id, targets);
    return in_.good();
  }

  bool set_epoch() {
    const EntityId id = get_entity_id(in_);
    const auto last = in_.number<std::uint32_t>();
    if (in_.good()) (void)world_.set_epoch(id, last);
    return in_.good();
  }

  Reader& in_;
  World& world_;
};

}  // namespace

Result<Replay> Replay::open(std::string_view bytes) {
  Reader in(bytes);
  if (in.number<std::uint32_t>() != kRecordingMagic) return Error(Errc::corrupt, "not a recording");
  const auto format = in.number<std::uint8_t>();
  if (format > kRecordingFormat) return Errc::newer_format;
  bool good = format != 0;
  const WorldOptions options = get_world(in, good);
  if (!in.good() || !good) return Error(Errc::corrupt, "options");
  return Replay(options, bytes.substr(bytes.size() - in.left()));
}

Result<bool> Replay::step(World& world) {
  Step step(in_, world);
  while (in_.left() != 0) {
    const auto op = static_cast<Op>(in_.number<std::uint8_t>());
    if (!step.run(op)) {
      if (!in_.good()) return false;  // cut off within its last step
      return Error(Errc::corrupt, "an operation that no run of this world has done");
    }
    if (op == Op::update) return true;
  }
  return false;
}

}  // namespace starbus::aoi
