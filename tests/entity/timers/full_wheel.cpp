#include "tests/entity/timers/full_wheel.hpp"

#include <chrono>

namespace starbus::entity {

void FullWheel::fill() {
  constexpr Time kYear = std::chrono::hours(8'760);  // nothing of it is due in a test
  while (const auto id = wheel_.after(owner_, kYear, [] {})) taken_.push_back(*id);
}

void FullWheel::free(std::size_t count) {
  for (; count > 0; --count) {
    wheel_.cancel(taken_.back());
    taken_.pop_back();
  }
}

}  // namespace starbus::entity
