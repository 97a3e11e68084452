#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace starbus::nodes::gate::net {

/// The times at which connections want to be looked at, the first one first. A later time of a
/// connection is not moved there: it is found when its earlier one has come. Those of connections
/// that have ended stay until their time, so there are as many as arrive within kHandshakeTime, and
/// a few for each that is open. Pure; one thread.
class Alarms {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Alarm {
    Time at;
    std::uint64_t id;
    bool operator>(const Alarm& other) const { return at > other.at; }
  };

  void set(Time at, std::uint64_t id) { heap_.push({at, id}); }
  /// Of the first one; Time::max() if there is none.
  Time first() const { return heap_.empty() ? Time::max() : heap_.top().at; }
  /// Takes the first one if its time has come.
  std::optional<Alarm> take(Time now) {
    if (first() > now || heap_.empty()) return std::nullopt;
    const Alarm alarm = heap_.top();
    heap_.pop();
    return alarm;
  }
  std::size_t size() const { return heap_.size(); }

 private:
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> heap_;
};

}  // namespace starbus::nodes::gate::net
