/// The timers of an entity that arrives: what is accepted is exported again the same.
#include <algorithm>

#include "entity/timers/named_timers.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  using bus::require;
  const bus::ByteView input = bus::fuzz_input(data, size);
  constexpr entity::Time kNow = std::chrono::hours(500'000);
  entity::TimerWheel wheel(std::chrono::hours(1));
  std::size_t fired = 0;
  entity::NamedTimers timers(wheel, [&](const entity::NamedFiring&) { ++fired; });
  const bool taken = timers.import_all(input, kNow).has_value();
  require(wheel.size() == timers.size());
  if (!taken) {
    require(timers.size() == 0);
    return 0;
  }
  bus::Bytes again;
  timers.export_all(kNow, again);
  require(std::ranges::equal(again, input));
  for (int pass = 0; pass < 3; ++pass) {
    wheel.advance(wheel.next_due().value_or(wheel.now()));
    require(wheel.size() == timers.size());
  }
  return 0;
}
