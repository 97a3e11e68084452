/// Batches of what others see of movement: what is read is sound, and means the same when it is
/// written again.
#include <algorithm>

#include "nodes/space/movement/move_wire.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  using namespace starbus::nodes::movement;
  using bus::require;
  std::vector<SeenMove> moves;
  const auto header = MoveDecoder().decode(bus::fuzz_input(data, size), moves);
  if (!header) {
    require(moves.empty());
    return 0;
  }
  bus::Bytes again;
  MoveBatch batch(again, *header);
  for (const SeenMove& seen : moves) {
    require(seen.index != 0 && check(seen.move).has_value());
    require(since(header->time, seen.move.at) >= 0 && since(header->time, seen.move.at) <= 510);
    const auto body = MoveEncoder().encode(seen.move, seen.detail, header->time);
    require(body.has_value());
    if (!batch.add(seen.index, *body)) return 0;  // longer forms than needed are not written again
  }
  std::vector<SeenMove> read;
  const auto same = MoveDecoder().decode(again, read);
  require(same.has_value() && *same == *header && read.size() == moves.size());
  // What is sent on the ground, or stands, has no velocity, whatever its bytes have said.
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const bool speaks = !moves[i].move.grounded && moves[i].detail == Detail::fine &&
                        !(moves[i].move.velocity == Velocity{});
    require(read[i].moving == speaks);
    if (!speaks) {
      moves[i].move.velocity = {};
      moves[i].moving = false;
    }
    // Floats where steps of the grid would do are read as they are, and written as steps.
    require(distance(read[i].move.position, moves[i].move.position) < 0.02);
    moves[i].move.position = read[i].move.position;
    require(read[i] == moves[i]);
  }
  return 0;
}
