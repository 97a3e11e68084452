#include "entity/rpc/loop_time.hpp"

namespace starbus::entity::rpc {
namespace {

// Made when the process begins, so that it is old when it is used.
const TickMark begin_of_process{};

}  // namespace

bool longer_than(std::uint64_t passed, std::chrono::milliseconds limit) {
  constexpr std::uint64_t kSurelyShort = 1'000'000;  // a millisecond at 1 GHz
  if (passed < kSurelyShort) return false;
  const std::chrono::duration<double, std::nano> long_enough(limit);
  return static_cast<double>(passed) * begin_of_process.nanoseconds_per_tick() >=
         long_enough.count();
}

PassTime::PassTime(std::chrono::milliseconds limit) : limit_(limit), begun_(ticks()) {}

bool PassTime::over() const {
  return longer_than(ticks() - begun_, limit_);
}

}  // namespace starbus::entity::rpc
