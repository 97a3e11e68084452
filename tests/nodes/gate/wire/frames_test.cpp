// The codec of the client protocol: any frame comes back, and each bound is kept.
#include "nodes/gate/wire/frames.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "entity/client/fields.hpp"
#include "nodes/gate/wire/limits.hpp"

namespace starbus::nodes::gate {
namespace {

using entity::DataErrc;

/// Draws values of fields: short and long ones, and the edges of numbers.
class Draw {
 public:
  std::uint64_t number() {
    const auto bits = *rc::gen::inRange(0, 65);
    const auto raw = *rc::gen::arbitrary<std::uint64_t>();
    return bits == 0 ? 0 : raw >> (64 - bits);
  }
  template <class T>
  T narrow() {
    return static_cast<T>(number());
  }
  Bind pair() { return {number(), number()}; }
  Key key() { return {number(), number()}; }
  std::string text() { return *rc::gen::string<std::string>() + "ü"; }
  bus::Bytes bytes() {
    bus::Bytes bytes;
    for (const std::uint8_t each : *rc::gen::arbitrary<std::vector<std::uint8_t>>()) {
      bytes.push_back(static_cast<std::byte>(each));
    }
    return bytes;
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return *rc::gen::elementOf(std::vector<T>(values));
  }
};

/// Bytes of 7 bits are UTF-8; the longest text of `most` bytes and less.
std::string cut(std::string text, std::size_t most) {
  for (char& each : text) each = static_cast<char>(each & 0x7f);
  return text.substr(0, most);
}

FromClient any_from_client(std::size_t kind) {
  Draw draw;
  switch (kind) {
    case 0:
      return Hello{draw.narrow<std::uint16_t>(), draw.narrow<std::uint16_t>(), draw.number(),
                   draw.number(), cut(draw.text(), kProgramBytes)};
    case 1:
      return Login{cut(draw.text(), kMethodBytes), cut(draw.text(), kAccountBytes), draw.bytes()};
    case 2:
      return Resume{draw.key(),
                    draw.key(),
                    cut(draw.text(), sessions::kGroupName),
                    {draw.narrow<std::uint32_t>(), draw.number()},
                    draw.bytes()};
    case 3:
      return Confirm{};
    case 4:
      return Ack{draw.number()};
    case 5:
      return Ask{draw.number(), draw.pair(), draw.bytes()};
    case 6:
      return Ping{draw.number()};
    case 7:
      return Pong{draw.number(), draw.number()};
    default:
      return Bye{};
  }
}

ToClient any_to_client(std::size_t kind) {
  Draw draw;
  switch (kind) {
    case 0:
      return Greeting{draw.narrow<std::uint16_t>(),
                      draw.number(),
                      draw.number(),
                      draw.number(),
                      draw.narrow<std::uint32_t>(),
                      draw.narrow<std::uint32_t>()};
    case 1:
      return Waiting{draw.one_of({WaitsFor::place, WaitsFor::account, WaitsFor::gate}),
                     draw.number(), draw.narrow<std::uint32_t>()};
    case 2:
      return Welcome{draw.key(),
                     draw.key(),
                     cut(draw.text(), sessions::kChannelBytes),
                     {draw.narrow<std::uint32_t>(), draw.number()},
                     *rc::gen::arbitrary<bool>(),
                     draw.number(),
                     draw.number(),
                     draw.pair(),
                     draw.bytes()};
    case 3:
      return Packet{draw.number(),
                    draw.one_of({PacketKind::full, PacketKind::reply, PacketKind::over,
                                 PacketKind::sight, PacketKind::spoken, PacketKind::ended}),
                    draw.bytes()};
    case 4:
      return Busy{draw.number()};
    case 5:
      return GoTo{cut(draw.text(), sessions::kChannelBytes)};
    case 6:
      return Ping{draw.number()};
    case 7:
      return Pong{draw.number(), draw.number()};
    default:
      return Closed{draw.one_of({CloseReason::version, CloseReason::fault}),
                    draw.narrow<std::uint32_t>(), cut(draw.text(), kCloseTextBytes)};
  }
}

template <class T>
bus::Bytes encoded(const T& value) {
  bus::Bytes bytes;
  encode(value, bytes);
  return bytes;
}
bus::Bytes bytes_of(std::size_t size) {
  return bus::Bytes(size, std::byte{7});
}
std::string text_of(std::size_t size) {
  return std::string(size, 'x');
}
DataErrc code_of(const FromClient& frame) {
  const auto read = decode_from_client(encoded(frame));
  return read ? DataErrc::ok : static_cast<DataErrc>(read.error().code.number());
}
DataErrc code_of(const ToClient& frame) {
  const auto read = decode_to_client(encoded(frame));
  return read ? DataErrc::ok : static_cast<DataErrc>(read.error().code.number());
}

RC_GTEST_PROP(ClientFrames, WhatIsWrittenIsReadAgain, ()) {
  const auto kind = *rc::gen::inRange<std::size_t>(0, std::variant_size_v<FromClient>);
  const FromClient from = any_from_client(kind);
  RC_ASSERT(from.index() == kind);
  RC_ASSERT(decode_from_client(encoded(from)).value() == from);
  const ToClient to = any_to_client(kind);
  RC_ASSERT(to.index() == kind);
  RC_ASSERT(decode_to_client(encoded(to)).value() == to);
}

RC_GTEST_PROP(ClientFrames, BodiesThatAreWrittenAreReadAgain, ()) {
  Draw draw;
  const Spoken spoken{cut(draw.text(), sessions::kGroupName), draw.bytes()};
  RC_ASSERT(decode_spoken(encoded(spoken)).value() == spoken);
  const Ended ended{draw.one_of({CloseReason::replaced, CloseReason::ended}),
                    *rc::gen::arbitrary<bool>(), draw.number(), draw.pair()};
  RC_ASSERT(decode_ended(encoded(ended)).value() == ended);
}

RC_GTEST_PROP(ClientFrames, AnyBytesAreReadOrRefusedAndHaveOneForm, ()) {
  const bus::Bytes bytes = Draw().bytes();
  if (const auto from = decode_from_client(bytes)) RC_ASSERT(encoded(*from) == bytes);
  if (const auto to = decode_to_client(bytes)) RC_ASSERT(encoded(*to) == bytes);
}

TEST(ClientFrames, TextsAndBytesAreBounded) {
  const auto with = [](auto frame, auto member, auto value) {
    frame.*member = std::move(value);
    return frame;
  };
  const auto at_and_above = [&](auto frame, auto member, std::size_t most, auto make) {
    using Frame = std::conditional_t<std::is_constructible_v<FromClient, decltype(frame)> &&
                                         !std::is_same_v<Ping, decltype(frame)>,
                                     FromClient, ToClient>;
    EXPECT_EQ(code_of(Frame(with(frame, member, make(most)))), DataErrc::ok);
    EXPECT_EQ(code_of(Frame(with(frame, member, make(most + 1)))), DataErrc::too_large);
  };
  at_and_above(Hello{}, &Hello::program, kProgramBytes, text_of);
  at_and_above(Login{}, &Login::method, kMethodBytes, text_of);
  at_and_above(Login{}, &Login::account, kAccountBytes, text_of);
  at_and_above(Login{}, &Login::proof, kProofBytes, bytes_of);
  at_and_above(Resume{}, &Resume::gate, sessions::kChannelBytes, text_of);
  at_and_above(Resume{}, &Resume::reentry, sessions::kTicketBytes, bytes_of);
  at_and_above(Ask{}, &Ask::body, sessions::kRequestBytes, bytes_of);
  at_and_above(Welcome{}, &Welcome::gate, sessions::kChannelBytes, text_of);
  at_and_above(Welcome{}, &Welcome::reentry, sessions::kTicketBytes, bytes_of);
  at_and_above(Packet{}, &Packet::body, kPacketBytes, bytes_of);
  at_and_above(GoTo{}, &GoTo::address, sessions::kChannelBytes, text_of);
  at_and_above(Closed{}, &Closed::text, kCloseTextBytes, text_of);
  EXPECT_TRUE(decode_spoken(encoded(Spoken{"zone", bytes_of(sessions::kPartBytes)})));
  const auto spoken = decode_spoken(encoded(Spoken{"zone", bytes_of(sessions::kPartBytes + 1)}));
  ASSERT_FALSE(spoken);
  EXPECT_TRUE(spoken.error().code == DataErrc::too_large);
}

TEST(ClientFrames, NoFrameIsLongerThanAClientTakes) {
  const std::uint64_t most = ~std::uint64_t{0};
  const Packet packet{most, PacketKind::ended, bytes_of(kPacketBytes)};
  EXPECT_LE(encoded(ToClient(packet)).size(), kClientTakes);
  const Welcome welcome{{most, most}, {most, most}, text_of(sessions::kChannelBytes),
                        {~0U, most},  true,         most,
                        most,         {most, most}, bytes_of(sessions::kTicketBytes)};
  EXPECT_LE(encoded(ToClient(welcome)).size(), kClientTakes);
}

}  // namespace
}  // namespace starbus::nodes::gate
