#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>

#include "nodes/space/movement/move_flags.hpp"
#include "nodes/space/movement/move_wire.hpp"

namespace starbus::nodes::movement {
namespace {

/// Steps of the grid from its origin, above 0; nullopt beyond its reach.
std::optional<std::uint64_t> steps(float place, std::int32_t origin, std::int64_t reach) {
  const double centimetres = (static_cast<double>(place) - origin) * 100;
  if (std::abs(centimetres) >= static_cast<double>(reach) + 0.5) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(centimetres) + reach + 1);
}

/// cm/s.
std::uint64_t speed_code(float speed) {
  const double code = std::clamp(static_cast<double>(speed) * 100, -32768.0, 32767.0);
  return static_cast<std::uint16_t>(static_cast<std::int16_t>(std::lround(code)));
}

}  // namespace

std::uint32_t angle_code(double radians, unsigned bits) {
  const double turns = radians / (2 * std::numbers::pi);
  const double code =
      std::floor((turns - std::floor(turns)) * static_cast<double>(1U << bits) + 0.5);
  return static_cast<std::uint32_t>(code) & ((1U << bits) - 1);
}

void MoveBody::put(std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes_[size_++] = static_cast<std::byte>(value >> (8 * i));
}

MoveResult<MoveBody> MoveEncoder::encode(const Locomotion& move, Detail detail,
                                         std::uint32_t time) const {
  if (auto good = check(move); !good) return good.error();
  const bool fine = detail == Detail::fine;
  const std::uint32_t pitch = fine ? angle_code(move.pitch, 8) : 0;
  const bool upright = move.mode == 0 && pitch == 0;
  const bool moving = fine && !move.grounded && !(move.velocity == Velocity{});
  std::uint64_t flags = move.grounded ? kGrounded : 0;
  if (fine) flags |= kFine;
  if (moving) flags |= kMoving;
  if (!upright) flags |= kModeIsThere;
  if ((move.teleports & 1) != 0) flags |= kOddTeleports;
  MoveBody body;
  put_place(body, move, flags);
  const std::int32_t age = std::clamp<std::int32_t>(since(time, move.at), 0, kMostAge);
  body.put(static_cast<std::uint64_t>(age / kAgeStep), 1);
  body.put(angle_code(move.heading, fine ? 16 : 8), fine ? 2 : 1);
  if (!upright) body.put(move.mode, 1);
  if (!upright && fine) body.put(pitch, 1);
  if (moving) {
    for (const float speed : {move.velocity.x, move.velocity.y, move.velocity.z}) {
      body.put(speed_code(speed), 2);
    }
  }
  return body;
}

void MoveEncoder::put_place(MoveBody& body, const Locomotion& move, std::uint64_t flags) const {
  const auto x = steps(move.position.x, grid_.x, kCompactReach);
  const auto y = steps(move.position.y, grid_.y, kCompactReach);
  const auto z = steps(move.position.z, grid_.z, kCompactHeight);
  if (x && y && (z || move.grounded)) {
    body.put(flags | *x << kFlagBits | *y << (kFlagBits + kPlaceBits), 6);
    if (!move.grounded) body.put(*z, 3);
    return;
  }
  body.put(flags | kFull, 1);
  body.put(std::bit_cast<std::uint32_t>(move.position.x), 4);
  body.put(std::bit_cast<std::uint32_t>(move.position.y), 4);
  if (!move.grounded) body.put(std::bit_cast<std::uint32_t>(move.position.z), 4);
}

MoveBatch::MoveBatch(bus::Bytes& out, const BatchHeader& header) : out_(out), begin_(out.size()) {
  bus::Writer writer(out);
  writer.put(kMoveFormat);
  writer.put(header.epoch);
  writer.put(header.tick);
  writer.put(header.time);
}

bool MoveBatch::add(std::uint16_t index, const MoveBody& body) {
  const std::size_t size = out_.size() - begin_ + kMoveIndex + body.size();
  if (index == 0 || size > kMaxMoveBatch) return false;
  bus::Writer writer(out_);
  writer.put(index);
  writer.bytes(body.view());
  ++movers_;
  return true;
}

}  // namespace starbus::nodes::movement
