#include "nodes/gate/net/ws_head.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace starbus::nodes::gate::net {
namespace {

constexpr std::uint8_t kLast = 0x80;
constexpr std::uint8_t kReserved = 0x70;
constexpr std::uint8_t kOpcode = 0x0f;
constexpr std::uint8_t kMaskedBit = 0x80;
constexpr std::uint8_t kLengthBits = 0x7f;
constexpr std::uint8_t kLength16 = 126;
constexpr std::uint8_t kLength64 = 127;
constexpr std::uint64_t kLongestLength = 0x7fff'ffff'ffff'ffff;

std::uint64_t length_from(bus::ByteView bytes) {
  std::uint64_t number = 0;
  for (const std::byte byte : bytes) number = number << 8U | std::to_integer<std::uint64_t>(byte);
  return number;
}

bool is_opcode(std::uint8_t number) {
  return number <= 2 || (number >= 8 && number <= 10);
}

}  // namespace

WsHead read_ws_head(bus::ByteView bytes) {
  WsHead head;
  if (bytes.size() < 2) return head;
  const auto first = std::to_integer<std::uint8_t>(bytes[0]);
  const auto second = std::to_integer<std::uint8_t>(bytes[1]);
  const auto opcode = static_cast<std::uint8_t>(first & kOpcode);
  const auto shortest = static_cast<std::uint8_t>(second & kLengthBits);
  head.state = WsHead::State::malformed;
  if ((first & kReserved) != 0 || (second & kMaskedBit) == 0 || !is_opcode(opcode)) return head;
  head.last = (first & kLast) != 0;
  head.opcode = static_cast<WsOpcode>(opcode);
  if (opcode >= 8 && (!head.last || shortest >= kLength16)) return head;

  const std::size_t extended = shortest == kLength64 ? 8 : shortest == kLength16 ? 2 : 0;
  head.size = 2 + extended + head.mask.size();
  if (bytes.size() >= 2 + extended) {
    head.length = extended == 0 ? shortest : length_from(bytes.subspan(2, extended));
    const std::uint64_t least = extended == 8 ? 0x1'0000 : extended == 2 ? kLength16 : 0;
    if (head.length < least || head.length > kLongestLength) return head;
  }
  head.state = WsHead::State::more;
  if (bytes.size() < head.size) return head;
  std::ranges::copy(bytes.subspan(2 + extended, head.mask.size()), head.mask.begin());
  head.state = WsHead::State::whole;
  return head;
}

void unmask(std::span<std::byte> payload, const std::array<std::byte, 4>& mask) {
  std::uint64_t wide = 0;
  std::memcpy(&wide, mask.data(), 4);
  std::memcpy(reinterpret_cast<std::byte*>(&wide) + 4, mask.data(), 4);
  std::size_t i = 0;
  for (; i + sizeof wide <= payload.size(); i += sizeof wide) {
    std::uint64_t word = 0;
    std::memcpy(&word, payload.data() + i, sizeof word);
    word ^= wide;
    std::memcpy(payload.data() + i, &word, sizeof word);
  }
  for (; i < payload.size(); ++i) payload[i] ^= mask[i % mask.size()];
}

void FrameHead::append(bus::ByteView prefix) {
  assert(prefix.size() <= bytes.size() - size);
  std::ranges::copy(prefix, bytes.begin() + size);
  size = static_cast<std::uint8_t>(size + prefix.size());
}

FrameHead ws_head(WsOpcode opcode, std::size_t length) {
  FrameHead head;
  head.bytes[0] = static_cast<std::byte>(kLast | static_cast<std::uint8_t>(opcode));
  std::size_t extended = 0;
  if (length < kLength16) {
    head.bytes[1] = static_cast<std::byte>(length);
  } else {
    extended = length <= 0xffff ? 2 : 8;
    head.bytes[1] = static_cast<std::byte>(extended == 2 ? kLength16 : kLength64);
    for (std::size_t i = 0; i < extended; ++i) {
      head.bytes[1 + extended - i] = static_cast<std::byte>(length >> (8 * i));
    }
  }
  head.size = static_cast<std::uint8_t>(2 + extended);
  return head;
}

FrameHead length_head(std::size_t length) {
  FrameHead head;
  head.size = 4;
  bus::store(head.bytes.data(), static_cast<std::uint32_t>(length));
  return head;
}

}  // namespace starbus::nodes::gate::net
