/// Deflated packets of a hostile gate: what comes out is bounded, and a packet of the same head.
#include "clients/cpp/inflate.hpp"
#include "clients/cpp/limits.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::game;
  using starbus::bus::require;
  if (size > kFrameTaken) return 0;
  const ByteView input(reinterpret_cast<const std::byte*>(data), size);
  Bytes frame{std::byte{196}};
  frame.insert(frame.end(), input.begin(), input.end());
  const auto packet = inflate_packet(frame);
  require(!inflate_packet(input) || is_deflated(input));
  if (!packet) return 0;
  require(packet->size() <= kPacketBytes + 12);
  require(packet->front() == std::byte{68} && (*packet)[1] == frame[1]);
  return 0;
}
