/// What gates say to each other: what is accepted is encoded again the same, and a gate that is
/// told so stays whole.
#include <algorithm>

#include "nodes/gate/core/gate_core.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
using namespace starbus::nodes::gate;
using bus::require;

class FuzzKeys : public KeySource {
 public:
  Key key() override { return {++last_, 1}; }

 private:
  std::uint64_t last_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bus::ByteView input = bus::fuzz_input(data, size);
  FuzzKeys keys;
  GateCore core({{"gate/z", {9, 9, 9}}, "z:1", 10, {}}, keys);
  core.tick(GateTime(1'000'000));
  if (const auto word = decode_gate_word(input)) {
    bus::Bytes bytes;
    require(encode(*word, bytes));
    require(std::ranges::equal(bytes, input));
    const auto* take = std::get_if<Take>(&*word);
    static_cast<void>(core.told(take != nullptr ? take->giver.process : bus::Process{}, *word));
  }
  if (const auto taken = decode_taken(input)) require(input.size() == 2);
  core.bundle({1, 2, 3}, input);
  for (int i = 0; i < 20; ++i) {
    core.tick(GateTime(1'000'000 + i * 10'000));
    core.input_drained();
    static_cast<void>(core.take());
  }
  return 0;
}
