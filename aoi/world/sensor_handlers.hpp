/// The handlers that sensors have of their own. The handler of a removed sensor stays until the
/// handlers of the current update have returned, because it may be the one that runs. Belongs to
/// the world's thread. Owns the handlers, each at a fixed address, because one that runs may add
/// others. Fails only by running out of memory.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "aoi/types.hpp"

namespace starbus::aoi {

class SensorHandlers {
 public:
  using Handler = std::function<void(const Event&)>;

  /// The sensor must have none yet.
  void add(SensorId sensor, Handler handler) {
    handlers_.emplace(sensor.value, std::make_unique<Handler>(std::move(handler)));
  }
  /// The sensor was removed.
  void end(SensorId sensor) {
    if (handlers_.contains(sensor.value)) ended_.push_back(sensor.value);
  }
  /// No handler runs any more.
  void drop_ended() {
    for (const std::uint32_t sensor : ended_) handlers_.erase(sensor);
    ended_.clear();
  }
  bool empty() const { return handlers_.empty(); }
  /// Null: the sensor has none.
  const Handler* find(SensorId sensor) const {
    const auto at = handlers_.find(sensor.value);
    return at == handlers_.end() ? nullptr : at->second.get();
  }

 private:
  boost::unordered_flat_map<std::uint32_t, std::unique_ptr<Handler>> handlers_;  ///< by SensorId
  std::vector<std::uint32_t> ended_;
};

}  // namespace starbus::aoi
