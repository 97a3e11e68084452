/// CHUNK and reassembly: the input is a list of {length byte, chunk payload}, all in one session.
#include "bus/core/session.hpp"
#include "bus/core/wire/data.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::bus {
namespace {

class Sink : public RecordHandler {
  Result<> on_record(Kind kind, ByteView payload) override {
    require(kind != Kind::chunk && payload.size() < kMaxRecord);
    return {};
  }
};

}  // namespace
}  // namespace starbus::bus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  ByteView rest = fuzz_input(data, size);
  Session session(7, {});
  Sink sink;
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    const std::size_t length =
        std::min<std::size_t>(load<std::uint8_t>(rest.data()), rest.size() - 1);
    const ByteView payload = rest.subspan(1, length);
    rest = rest.subspan(1 + length);
    const auto chunk = decode_chunk(payload);
    require(!chunk || chunk->bytes.size() <= payload.size());
    Bytes bundle(kBundleHeaderSize);
    Writer writer(bundle);
    writer.put(static_cast<std::uint32_t>(length + 1));
    writer.put(static_cast<std::uint8_t>(Kind::chunk));
    writer.bytes(payload);
    seal_bundle(bundle, 7, number, 0);
    if (!session.receive(bundle, {}, sink)) break;
    require(chunk.has_value());
  }
  return 0;
}
