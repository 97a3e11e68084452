#include "clients/cpp/space/moves.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

constexpr std::uint8_t kMoveFormat = 1;
// The first byte of a body, in its lowest bits.
constexpr std::uint8_t kFull = 1;
constexpr std::uint8_t kGrounded = 2;
constexpr std::uint8_t kFine = 4;
constexpr std::uint8_t kMoving = 8;
constexpr std::uint8_t kModeIsThere = 16;
constexpr std::uint8_t kOddTeleports = 32;
constexpr unsigned kFlagBits = 6;
constexpr unsigned kPlaceBits = 21;
constexpr std::uint32_t kAgeStep = 2;
/// Steps of the grid from its origin to what is not 0.
constexpr std::int64_t kReach = 1'048'576;
constexpr std::int64_t kHeight = 8'388'608;

/// A little-endian number of that many bytes; `number` is that of the bytes before them.
std::uint64_t more(FieldReader& in, unsigned size, std::uint64_t number = 0, unsigned from = 0) {
  for (unsigned at = from; at < from + size; ++at) {
    number |= static_cast<std::uint64_t>(in.byte()) << (8 * at);
  }
  return number;
}
float metres(std::uint64_t steps, std::int32_t origin, std::int64_t middle) {
  const std::int64_t from_origin = static_cast<std::int64_t>(steps) - middle;
  return static_cast<float>(origin + static_cast<double>(from_origin) / 100);
}
/// A coordinate in the full form.
float far_metres(FieldReader& in) {
  const auto value = std::bit_cast<float>(in.word());
  if (std::isfinite(value) && std::abs(value) <= kMostCoordinate) return value;
  in.refuse(Refusal::malformed);
  return 0;
}
float speed(FieldReader& in) {
  return static_cast<float>(static_cast<std::int16_t>(more(in, 2))) / 100;
}
/// From -pi on and below pi.
float angle(FieldReader& in, bool fine) {
  const unsigned bits = fine ? 16 : 8;
  const auto code = static_cast<double>(more(in, bits / 8));
  const auto turn = static_cast<double>(1U << bits);
  const double part = code < turn / 2 ? code : code - turn;
  return static_cast<float>(part / turn * 2 * std::numbers::pi);
}

Place get_place(FieldReader& in, std::uint8_t flags, const MoveGrid& grid) {
  const bool grounded = (flags & kGrounded) != 0;
  Place place;
  if ((flags & kFull) != 0) {
    if (flags >> kFlagBits != 0) in.refuse(Refusal::malformed);
    place.x = far_metres(in);
    place.y = far_metres(in);
    if (!grounded) place.z = far_metres(in);
    return place;
  }
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kPlaceBits) - 1;
  const std::uint64_t word = more(in, 5, flags, 1);
  const std::uint64_t x = word >> kFlagBits & kMask;
  const std::uint64_t y = word >> (kFlagBits + kPlaceBits);
  const std::uint64_t z = grounded ? 1 : more(in, 3);
  if (x == 0 || y == 0 || z == 0) in.refuse(Refusal::malformed);  // no encoder writes it
  place.x = metres(x, grid.x, kReach);
  place.y = metres(y, grid.y, kReach);
  if (!grounded) place.z = metres(z, grid.z, kHeight);
  return place;
}

}  // namespace

SeenMove get_move(FieldReader& in, std::uint32_t time, const MoveGrid& grid) {
  const std::uint8_t flags = in.byte();
  SeenMove seen;
  seen.fine = (flags & kFine) != 0;
  seen.moving = (flags & kMoving) != 0;
  Locomotion& move = seen.move;
  move.grounded = (flags & kGrounded) != 0;
  move.teleports = (flags & kOddTeleports) != 0 ? 1 : 0;
  move.position = get_place(in, flags, grid);
  move.at = time - in.byte() * kAgeStep;
  move.heading = angle(in, seen.fine);
  if ((flags & kModeIsThere) != 0) {
    move.mode = in.byte();
    if (seen.fine) move.pitch = angle(in, false);
  }
  if (seen.moving) {
    move.velocity.x = speed(in);
    move.velocity.y = speed(in);
    move.velocity.z = speed(in);
  }
  return seen;
}

MoveBatch get_moves(FieldReader& in, const MoveGrid& grid) {
  MoveBatch batch;
  if (in.left() > kMoveBatch) in.refuse(Refusal::too_large);
  const std::uint8_t format = in.byte();
  if (format > kMoveFormat) in.refuse(Refusal::newer_format);
  if (format < kMoveFormat) in.refuse(Refusal::malformed);
  batch.epoch = in.word();
  batch.tick = in.word();
  batch.time = in.word();
  while (in.ok() && in.left() > 0) {
    const auto index = static_cast<std::uint16_t>(more(in, 2));
    if (index == 0) in.refuse(Refusal::malformed);
    batch.moves.push_back(get_move(in, batch.time, grid));
    batch.moves.back().index = index;
  }
  return batch;
}

Read<MoveBatch> read_moves(ByteView bytes, const MoveGrid& grid) {
  FieldReader in(bytes);
  Read<MoveBatch> read{get_moves(in, grid)};
  read.refusal = in.finish();
  if (read.refusal == Refusal::truncated) read.refusal = Refusal::malformed;
  if (!read) read.value = {};
  return read;
}

}  // namespace starbus::game
