/// Recordings: the inputs of a world's run as bytes, and their replay, which gives the same events.
///
/// A Recorder is passed to World::record_to and collects what changes the world, in order. It does
/// no I/O: its owner takes the bytes and appends them to a file. A recording begins with the
/// options of the world; start it before anything is added. Belongs to the world's thread; owns the
/// bytes that were not taken.
#pragma once

#include <string>
#include <string_view>

#include "aoi/observer_state.hpp"
#include "aoi/wire/codec.hpp"
#include "aoi/world.hpp"

namespace starbus::aoi {

class Recorder {
 public:
  explicit Recorder(const WorldOptions& options);

  /// The bytes since the last take().
  std::string take() { return out_.take(); }

  // Called by the world.
  void add(EntityId id, const EntityOptions& of);
  void remove(EntityId id);
  void move(EntityId id, const Position& to);
  void set_flags(EntityId id, std::uint64_t flags);
  void set_weight(EntityId id, float weight);
  void add_sensor(SensorId id, EntityId owner, const SensorOptions& of);
  void remove_sensor(SensorId id);
  void set_radius(SensorId id, float radius, float leave_margin);
  void set_options(SensorId id, const SensorOptions& of);
  void force(SensorId id, EntityId target, bool on);
  void set_beacon(EntityId id, bool on);
  void set_special(EntityId a, EntityId b, bool on);
  void adopt(SensorId id, std::span<const Adopted> targets);
  void set_epoch(EntityId id, std::uint32_t last);
  void update();

 private:
  Writer out_;
};

/// Steps through a recording. `bytes` must outlive it.
class Replay {
 public:
  /// corrupt, newer_format. A recording cut off within a step is valid up to that step.
  static Result<Replay> open(std::string_view bytes);

  /// Options for the world to replay into. The backend may be another one: the events are the same,
  /// but with a period or a budget they may come in other updates.
  const WorldOptions& options() const { return options_; }

  /// Replays up to and including the next update, whose events `world` then has. Returns false at
  /// the end of the recording. corrupt: not the bytes of a recording, or not of this world.
  Result<bool> step(World& world);

 private:
  Replay(const WorldOptions& options, std::string_view bytes) : options_(options), in_(bytes) {}

  WorldOptions options_;
  Reader in_;
};

}  // namespace starbus::aoi
