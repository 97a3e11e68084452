/// A session that receives whatever a peer writes: the input is cut into bundles by its own
/// lengths; a bundle whose number, session and length would be refused at once is repaired first,
/// so that the records behind the header are reached.
#include "bus/core/session.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::bus {
namespace {

class Sink : public RecordHandler {
  Result<> on_record(Kind, ByteView payload) override {
    require(payload.size() <= kMaxRecord);
    return {};
  }
};

}  // namespace
}  // namespace starbus::bus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  ByteView rest = fuzz_input(data, size);
  Session session(0, {});
  Sink sink;
  (void)session.receive(rest, {}, sink);
  Session repaired(0, {});
  for (std::uint64_t number = 1; rest.size() >= 2; ++number) {
    const std::size_t length =
        std::min<std::size_t>(load<std::uint16_t>(rest.data()), rest.size() - 2);
    Bytes bundle(kBundleHeaderSize);
    const ByteView records = rest.subspan(2, length);
    bundle.insert(bundle.end(), records.begin(), records.end());
    seal_bundle(bundle, 7, number, 0);
    if (!repaired.receive(bundle, from_ms(number), sink)) break;
    rest = rest.subspan(2 + length);
  }
  return 0;
}
