/// What gates ask a login, and what it answers: what is accepted is encoded again the same.
#include <algorithm>

#include "nodes/gate/wire/login_words.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

template <class Word>
void again(const Word& word, starbus::bus::ByteView input) {
  starbus::bus::Bytes bytes;
  encode(word, bytes);
  starbus::bus::require(std::ranges::equal(bytes, input));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const starbus::bus::ByteView input = starbus::bus::fuzz_input(data, size);
  if (const auto ask = starbus::nodes::gate::decode_login_ask(input)) again(*ask, input);
  if (const auto told = starbus::nodes::gate::decode_login_told(input)) again(*told, input);
  return 0;
}
