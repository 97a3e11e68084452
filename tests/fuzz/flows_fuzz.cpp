/// The flows of an entity that arrives: what is accepted is exported again the same.
#include "entity/flows/flows.hpp"

#include <algorithm>

#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  using bus::require;
  const bus::ByteView input = bus::fuzz_input(data, size);
  constexpr entity::Time kNow = std::chrono::hours(500'000);
  entity::TimerWheel wheel(std::chrono::hours(1));
  std::size_t ended = 0;
  entity::Flows flows(wheel, 1, [&](const entity::FlowResume&) { ++ended; });
  const bool taken = flows.import_all(input, kNow).has_value();
  require(wheel.size() == flows.size());
  if (!taken) {
    require(flows.size() == 0);
    return 0;
  }
  const std::size_t count = flows.size();
  bus::Bytes again;
  flows.export_all(kNow, again);
  require(std::ranges::equal(again, input));
  while (wheel.size() > 0) wheel.advance(*wheel.next_due());
  require(ended == count && flows.size() == 0);
  return 0;
}
