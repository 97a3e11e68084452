/// The numbers of a listener that arrives: what is accepted is saved again the same, and counts.
#include <algorithm>

#include "entity/events/board_listener.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  using bus::require;
  const bus::ByteView input = bus::fuzz_input(data, size);
  entity::SeenNumbers seen;
  entity::Decoder in(input);
  const bool taken = seen.restore(in).has_value();
  require(taken == in.ok() && seen.size() <= entity::kMaxSeenPlaces);
  entity::BoardListener listener;
  entity::Decoder again(input);
  require(listener.restore(again).has_value() == taken);
  bus::Bytes saved;
  entity::Encoder out(saved);
  listener.save(out);
  if (!taken) {
    require(seen.size() == 0 && saved.size() == 2);
    return 0;
  }
  require(std::ranges::equal(saved, input.first(size - in.left())));

  constexpr entity::OnlineId kPlace{1};
  const std::uint64_t number = seen.of(kPlace).value_or(0);
  std::size_t heard = 0;
  require(listener.add<int>("bell", [&](const int&) { ++heard; }).has_value());
  entity::EventBoard board(kPlace);
  require(*listener.attach(board) == 0);
  (void)board.relay(number, "bell", 1);
  require(heard == 0);
  require(board.announce("bell", 1).has_value() == (heard == 1));
  return 0;
}
