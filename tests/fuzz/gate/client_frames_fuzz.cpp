/// What clients say to gates, and gates to clients: what is accepted is encoded again the same.
#include <algorithm>

#include "nodes/gate/wire/frames.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
using namespace starbus::nodes::gate;
using bus::require;

template <class T>
void again(const T& value, bus::ByteView input) {
  bus::Bytes bytes;
  encode(value, bytes);
  require(std::ranges::equal(bytes, input));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bus::ByteView input = bus::fuzz_input(data, size);
  if (const auto frame = decode_from_client(input)) again(*frame, input);
  if (const auto frame = decode_to_client(input)) again(*frame, input);
  if (const auto body = decode_spoken(input)) again(*body, input);
  if (const auto body = decode_ended(input)) again(*body, input);
  return 0;
}
