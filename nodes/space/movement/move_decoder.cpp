#include <bit>
#include <numbers>

#include "nodes/space/movement/move_flags.hpp"
#include "nodes/space/movement/move_wire.hpp"

namespace starbus::nodes::movement {
namespace {

float metres(std::uint64_t steps, std::int32_t origin, std::int64_t reach) {
  const std::int64_t from_origin = static_cast<std::int64_t>(steps) - reach - 1;
  return static_cast<float>(origin + static_cast<double>(from_origin) / 100);
}

/// A little-endian number of that many bytes.
std::uint64_t take_number(bus::Reader& reader, std::size_t size) {
  std::uint64_t number = 0;
  std::size_t at = 0;
  for (const std::byte byte : reader.take(size)) {
    number |= std::to_integer<std::uint64_t>(byte) << (8 * at++);
  }
  return number;
}

float take_float(bus::Reader& reader) {
  return std::bit_cast<float>(reader.get<std::uint32_t>());
}

float take_speed(bus::Reader& reader) {
  return static_cast<float>(static_cast<std::int16_t>(reader.get<std::uint16_t>())) / 100;
}

}  // namespace

float angle_of(std::uint32_t code, unsigned bits) {
  const double turn = static_cast<double>(1U << bits);
  const double part = code < (1U << bits) / 2 ? code : code - turn;
  return static_cast<float>(part / turn * 2 * std::numbers::pi);
}

MoveResult<BatchHeader> MoveDecoder::decode(bus::ByteView bytes,
                                            std::vector<SeenMove>& moves) const {
  moves.clear();
  if (bytes.size() > kMaxMoveBatch) return MoveErrc::too_large;
  bus::Reader reader(bytes);
  const auto format = reader.get<std::uint8_t>();
  if (reader.ok() && format > kMoveFormat) return MoveErrc::newer_format;
  BatchHeader header;
  header.epoch = reader.get<std::uint32_t>();
  header.tick = reader.get<std::uint32_t>();
  header.time = reader.get<std::uint32_t>();
  if (!reader.ok() || format != kMoveFormat) return MoveErrc::malformed;
  while (!reader.empty()) {
    if (!read(reader, header.time, moves.emplace_back())) {
      moves.clear();
      return MoveErrc::malformed;
    }
  }
  return header;
}

MoveResult<SeenMove> MoveDecoder::decode_body(bus::ByteView bytes, std::uint32_t time) const {
  bus::Reader reader(bytes);
  SeenMove seen;
  if (!read_body(reader, time, seen) || !reader.done()) return MoveErrc::malformed;
  return seen;
}

bool MoveDecoder::read(bus::Reader& reader, std::uint32_t time, SeenMove& seen) const {
  seen.index = reader.get<std::uint16_t>();
  return seen.index != 0 && read_body(reader, time, seen);
}

bool MoveDecoder::read_body(bus::Reader& reader, std::uint32_t time, SeenMove& seen) const {
  if (reader.empty()) return false;
  const auto first = std::to_integer<std::uint8_t>(reader.rest().front());
  Locomotion& move = seen.move;
  move.grounded = (first & kGrounded) != 0;
  move.teleports = (first & kOddTeleports) != 0 ? 1 : 0;
  const bool fine = (first & kFine) != 0;
  seen.detail = fine ? Detail::fine : Detail::coarse;
  seen.moving = (first & kMoving) != 0;
  if (!read_place(reader, first, move)) return false;
  move.at = time - static_cast<std::uint32_t>(reader.get<std::uint8_t>() * kAgeStep);
  move.heading =
      angle_of(fine ? reader.get<std::uint16_t>() : reader.get<std::uint8_t>(), fine ? 16 : 8);
  if ((first & kModeIsThere) != 0) {
    move.mode = reader.get<std::uint8_t>();
    if (fine) move.pitch = angle_of(reader.get<std::uint8_t>(), 8);
  }
  if (seen.moving) {
    move.velocity.x = take_speed(reader);
    move.velocity.y = take_speed(reader);
    move.velocity.z = take_speed(reader);
  }
  return reader.ok();
}

bool MoveDecoder::read_place(bus::Reader& reader, std::uint8_t first, Locomotion& move) const {
  Position& place = move.position;
  if ((first & kFull) != 0) {
    if (reader.get<std::uint8_t>() >> kFlagBits != 0) return false;
    place.x = take_float(reader);
    place.y = take_float(reader);
    if (!move.grounded) place.z = take_float(reader);
    return check(place).has_value();
  }
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kPlaceBits) - 1;
  const std::uint64_t word = take_number(reader, 6);
  const std::uint64_t x = word >> kFlagBits & kMask;
  const std::uint64_t y = word >> (kFlagBits + kPlaceBits);
  const std::uint64_t z = move.grounded ? 1 : take_number(reader, 3);
  if (x == 0 || y == 0 || z == 0) return false;  // no encoder writes it
  place.x = metres(x, grid_.x, kCompactReach);
  place.y = metres(y, grid_.y, kCompactReach);
  if (!move.grounded) place.z = metres(z, grid_.z, kCompactHeight);
  return reader.ok();
}

}  // namespace starbus::nodes::movement
