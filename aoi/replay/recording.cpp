#include "aoi/replay/recording.hpp"

#include "aoi/replay/recording_format.hpp"

namespace starbus::aoi {
namespace {

void put(Writer& out, Op op) {
  out.number(static_cast<std::uint8_t>(op));
}
void put(Writer& out, bool value) {
  out.number(static_cast<std::uint8_t>(value ? 1 : 0));
}
void put(Writer& out, const Position& at) {
  out.real(at.x);
  out.real(at.y);
  out.real(at.z);
}
void put(Writer& out, const EntityOptions& of) {
  put(out, of.position);
  out.number(of.flags);
  out.number(of.key);
  out.real(of.weight);
  put(out, of.observable);
}
void put(Writer& out, const SensorOptions& of) {
  for (const float value : {of.radius, of.leave_margin, of.min_height, of.max_height}) {
    out.real(value);
  }
  for (const std::uint64_t value : {of.filter.any, of.filter.need, of.filter.forbid}) {
    out.number(value);
  }
  out.number(static_cast<std::uint8_t>(of.limit.policy));
  out.number(of.limit.count);
  out.real(of.limit.margin);
  put(out, of.sees_beacons);
  put(out, of.indexed);
  out.number(of.period);
  out.number(of.priority);
}
void put(Writer& out, const WorldOptions& of) {
  out.number(static_cast<std::uint8_t>(of.backend));
  out.number(static_cast<std::uint8_t>(of.metric));
  put(out, of.bounds.min);
  put(out, of.bounds.max);
  out.real(of.reach);
  out.number(of.quarantine);
  out.number(of.symmetric.capacity);
  out.real(of.symmetric.cell);
  out.real(of.symmetric.search_cell);
  for (const float band : of.symmetric.bands) out.real(band);
  out.real(of.symmetric.replace_within);
  out.number(of.symmetric.refresh);
  out.number(of.budget.pair_tests);
  out.number(of.budget.microseconds);
  out.number(of.budget.max_staleness);
  out.number(static_cast<std::uint8_t>(of.simd));
}

}  // namespace

Recorder::Recorder(const WorldOptions& options) {
  out_.number(kRecordingMagic);
  out_.number(kRecordingFormat);
  put(out_, options);
}

void Recorder::add(EntityId id, const EntityOptions& of) {
  put(out_, Op::add);
  out_.number(id.value);
  put(out_, of);
}
void Recorder::remove(EntityId id) {
  put(out_, Op::remove);
  out_.number(id.value);
}
void Recorder::move(EntityId id, const Position& to) {
  put(out_, Op::move);
  out_.number(id.value);
  put(out_, to);
}
void Recorder::set_flags(EntityId id, std::uint64_t flags) {
  put(out_, Op::set_flags);
  out_.number(id.value);
  out_.number(flags);
}
void Recorder::set_weight(EntityId id, float weight) {
  put(out_, Op::set_weight);
  out_.number(id.value);
  out_.real(weight);
}
void Recorder::add_sensor(SensorId id, EntityId owner, const SensorOptions& of) {
  put(out_, Op::add_sensor);
  out_.number(id.value);
  out_.number(owner.value);
  put(out_, of);
}
void Recorder::remove_sensor(SensorId id) {
  put(out_, Op::remove_sensor);
  out_.number(id.value);
}
void Recorder::set_radius(SensorId id, float radius, float leave_margin) {
  put(out_, Op::set_radius);
  out_.number(id.value);
  out_.real(radius);
  out_.real(leave_margin);
}
void Recorder::set_options(SensorId id, const SensorOptions& of) {
  put(out_, Op::set_options);
  out_.number(id.value);
  put(out_, of);
}
void Recorder::force(SensorId id, EntityId target, bool on) {
  put(out_, Op::force);
  out_.number(id.value);
  out_.number(target.value);
  put(out_, on);
}
void Recorder::set_beacon(EntityId id, bool on) {
  put(out_, Op::set_beacon);
  out_.number(id.value);
  put(out_, on);
}
void Recorder::set_special(EntityId a, EntityId b, bool on) {
  put(out_, Op::set_special);
  out_.number(a.value);
  out_.number(b.value);
  put(out_, on);
}
void Recorder::adopt(SensorId id, std::span<const Adopted> targets) {
  put(out_, Op::adopt);
  out_.number(id.value);
  out_.number(static_cast<std::uint16_t>(targets.size()));
  for (const Adopted& one : targets) {
    out_.number(one.entity.value);
    put(out_, one.forced);
  }
}
void Recorder::set_epoch(EntityId id, std::uint32_t last) {
  put(out_, Op::set_epoch);
  out_.number(id.value);
  out_.number(last);
}
void Recorder::update() {
  put(out_, Op::update);
}

}  // namespace starbus::aoi
