/// The changes that evaluated sensors have found in one update: targets side by side, and per
/// sensor an entry with the place where its own end; they begin where those of the entry before
/// end. A sensor has two
/// entries at most: the first for targets that went out of reach before it was evaluated. Written
/// by a backend, read by the world. Owns its memory; fails only by running out of it.
#pragma once

#include <span>

#include "aoi/arrays/buffer.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

struct Delta {
  struct Entry {
    std::uint32_t sensor_and_tracked = 0;
    std::uint32_t left = 0;     ///< end in Delta::left
    std::uint32_t entered = 0;  ///< end in Delta::entered
    SensorIndex sensor() const { return sensor_and_tracked >> 1; }
    bool tracked() const { return (sensor_and_tracked & 1) != 0; }  ///< Watch::tracked
  };
  Buffer<Entry> entries;
  Buffer<EntityIndex> left;
  Buffer<EntityIndex> entered;
  std::uint64_t pair_tests = 0;
  std::uint64_t visited = 0;    ///< see UpdateReport
  std::uint32_t evaluated = 0;  ///< sensors

  /// A new update begins.
  void start();
  /// Its content is not needed any more.
  void rest();
  /// In no order; the caller may sort them in place.
  std::span<EntityIndex> left_of(std::size_t entry) {
    return left.between(entry == 0 ? 0 : entries[entry - 1].left, entries[entry].left);
  }
  std::span<EntityIndex> entered_of(std::size_t entry) {
    return entered.between(entry == 0 ? 0 : entries[entry - 1].entered, entries[entry].entered);
  }
  void leave(EntityIndex target) { left.push_back(target); }
  void enter(EntityIndex target) { entered.push_back(target); }
  /// Ends the entry of a sensor. Without changes there is none, unless the world wants one in any
  /// case (Scene::always).
  void close(SensorIndex sensor, const Scene& scene) {
    close(sensor, scene.watches[sensor].tracked, scene.always[sensor]);
  }
  void close(SensorIndex sensor, bool tracked, bool in_any_case);
  std::uint64_t memory() const { return entries.memory() + left.memory() + entered.memory(); }
};

}  // namespace starbus::aoi
