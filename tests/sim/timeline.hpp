/// Virtual time: what is to happen when. Actions of one instant run in the order they were added.
///
/// Owns its actions; one thread. An action may add others, at or after the present.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "bus/core/lanes.hpp"

namespace starbus::sim {

using bus::from_ms;
using bus::Time;

class Timeline {
 public:
  using Action = std::function<void()>;

  explicit Timeline(Time start) : now_(start) {}

  Time now() const { return now_; }
  void at(Time when, Action action) {
    heap_.push_back({std::max(when, now_), next_++, std::move(action)});
    std::ranges::push_heap(heap_, later);
  }
  void after(Time delay, Action action) { at(now_ + delay, std::move(action)); }

  /// Runs everything that is due until `end`, which is then the present.
  void run_until(Time end) {
    while (!heap_.empty() && heap_.front().when <= end) {
      std::ranges::pop_heap(heap_, later);
      Entry entry = std::move(heap_.back());
      heap_.pop_back();
      now_ = entry.when;
      entry.action();
    }
    now_ = std::max(now_, end);
  }

 private:
  struct Entry {
    Time when;
    std::uint64_t order;
    Action action;
  };
  static bool later(const Entry& a, const Entry& b) {
    return std::pair(a.when, a.order) > std::pair(b.when, b.order);
  }

  Time now_;
  std::uint64_t next_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace starbus::sim
