/// DATA: a checked run can be walked to its end, and an owner keeps its rules whatever it is given.
#include "bus/core/ends/owner.hpp"
#include "bus/core/wire/data.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  const auto run = decode_run(fuzz_input(data, size));
  if (!run) return 0;
  RunReader reader(*run);
  std::uint64_t before = run->prev;
  std::size_t count = 0;
  while (const auto item = reader.next()) {
    require(item->prev == before && item->seq > before);
    require(item->body.size() <= size);
    before = item->seq;
    ++count;
  }
  require(count == run->count);
  std::uint64_t last = 0;
  Owner owner(
      [&](std::uint64_t, const Delivery& delivery) {
        require(delivery.seq > last);
        last = delivery.seq;
      },
      [](ByteView) {});
  owner.activate(run->channel, run->lineage, run->lineage, 1);
  owner.on_run(*run);
  owner.on_run(*run);
  owner.flush_acks();
  return 0;
}
