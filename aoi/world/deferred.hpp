/// Operations that handlers ask for while an update reports its events. They are checked at once,
/// kept here, and run when the last handler has returned. Also knows which sensors and hidden
/// entities are added that way and not there yet. Belongs to the world's thread. Owns the
/// operations; one that fails when it runs is counted as refused.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "aoi/error.hpp"
#include "aoi/scene.hpp"

namespace starbus::aoi {

class Deferred {
 public:
  /// A sensor that was added and has no row yet.
  struct Sensor {
    SensorId id;
    EntityIndex owner;
    bool symmetric;
    bool indexed;
  };

  /// True while handlers run.
  bool active() const { return active_; }
  void begin();
  /// Runs all, in order. The caller has ended what belongs to handlers before. One for which memory
  /// runs out is refused.
  void finish() noexcept;

  /// Runs the operation now and returns its result; while handlers run, keeps it and succeeds.
  template <class Operation>
  Result<> run(Operation operation) {
    if (!active_) return operation();
    operations_.push_back(std::move(operation));
    return {};
  }

  void expect_sensor(const Sensor& sensor) { sensors_.push_back(sensor); }
  void expect_hidden(EntityId entity) { hidden_.push_back(entity); }
  std::span<const Sensor> sensors() const { return sensors_; }
  /// Null: this sensor is not expected.
  const Sensor* sensor(SensorId id) const;
  bool is_hidden(EntityId entity) const;

  /// Operations that failed since the last call.
  std::uint32_t take_refused() { return std::exchange(refused_, 0); }

 private:
  bool active_ = false;
  std::uint32_t refused_ = 0;
  std::vector<std::function<Result<>()>> operations_;
  std::vector<Sensor> sensors_;
  std::vector<EntityId> hidden_;
};

}  // namespace starbus::aoi
