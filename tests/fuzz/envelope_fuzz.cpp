/// The envelope in front of a body: what is accepted is written back the same, but for an empty
/// trace.
#include "bus/client/envelope.hpp"

#include <algorithm>

#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  const ByteView input = fuzz_input(data, size);
  const auto envelope = decode_envelope(input);
  if (!envelope) return 0;
  Bytes again;
  encode_envelope(*envelope, again);
  const bool empty_trace = (data[1] & 1) != 0 && !envelope->trace;
  again.insert(again.end(), envelope->body.begin(), envelope->body.end());
  require(empty_trace || std::ranges::equal(again, input));
  return 0;
}
