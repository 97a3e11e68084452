/// MULTICAST: what is accepted is bounded, says the same when written again, and can be delivered.
#include <algorithm>

#include "bus/core/ends/owner.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/data.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  const auto multicast = decode_multicast(fuzz_input(data, size));
  if (!multicast) return 0;
  require(!multicast->targets.empty() && multicast->targets.size() <= kMaxGroup);
  Bytes again;
  encode_multicast(*multicast, again);
  require(again.size() == 5 + size);
  require(std::equal(again.begin() + 7, again.end(), fuzz_input(data, size).begin() + 2));
  std::size_t handled = 0;
  Owner owner([&](std::uint64_t, const Delivery&) { ++handled; }, [](ByteView) {});
  const Target& first = multicast->targets.front();
  owner.activate(first.channel, first.lineage, first.lineage, 1);
  owner.on_multicast(*multicast);
  require(handled <= multicast->targets.size());
  return 0;
}
