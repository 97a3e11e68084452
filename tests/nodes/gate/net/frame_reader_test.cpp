#include "nodes/gate/net/frame_reader.hpp"

#include <gtest/gtest.h>

#include <random>

#include "nodes/gate/net/limits.hpp"
#include "tests/nodes/gate/net/client_frames.hpp"

namespace starbus::nodes::gate::net {
namespace {

using Kind = FrameStep::Kind;
using test::length_frame;
using test::ws_frame;

constexpr std::size_t kLimit = 1'000;

/// Feeds the bytes in pieces of the sizes that `draw` gives; what came out, in words.
template <class Draw>
std::vector<std::string> read(bool websocket, std::string bytes, Draw&& draw) {
  FrameReader reader(websocket);
  std::vector<std::string> seen;
  while (!bytes.empty()) {
    std::string piece = bytes.substr(0, draw(bytes.size()));
    bytes.erase(0, piece.size());
    std::span<std::byte> input = std::as_writable_bytes(std::span(piece));
    for (;;) {
      const FrameStep step = reader.next(input, kLimit);
      if (step.kind == Kind::more) break;
      const std::string text(bus::as_text(step.bytes));
      if (step.kind == Kind::malformed) return seen.emplace_back("malformed"), seen;
      if (step.kind == Kind::too_large) return seen.emplace_back("too large"), seen;
      if (step.kind == Kind::frame) seen.push_back("frame " + text);
      if (step.kind == Kind::ping) seen.push_back("ping " + text);
      if (step.kind == Kind::closed) seen.push_back("closed");
    }
    EXPECT_LE(reader.held(), kLimit + 14);
  }
  return seen;
}

std::vector<std::string> read_whole(bool websocket, const std::string& bytes) {
  return read(websocket, bytes, [](std::size_t size) { return size; });
}

void expect_any_cut(bool websocket, const std::string& bytes,
                    const std::vector<std::string>& wanted) {
  EXPECT_EQ(read_whole(websocket, bytes), wanted);
  EXPECT_EQ(read(websocket, bytes, [](std::size_t) { return std::size_t{1}; }), wanted);
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(read(websocket, bytes,
                   [&](std::size_t size) {
                     return std::uniform_int_distribution<std::size_t>(1, size)(random);
                   }),
              wanted);
  }
}

TEST(FrameReaderTest, FramesByLengthAreTheSameHoweverTheyAreCut) {
  const std::string big(kLimit, 'b');
  expect_any_cut(false, length_frame("one") + length_frame("") + length_frame(big),
                 {"frame one", "frame ", "frame " + big});
}

TEST(FrameReaderTest, MessagesAreTheSameHoweverTheyAreCut) {
  const std::string big(600, 'b');
  const std::string bytes =
      ws_frame("one") + ws_frame("a", {WsOpcode::binary, false}) + ws_frame("p", {WsOpcode::ping}) +
      ws_frame("b", {WsOpcode::more, false}) + ws_frame("c", {WsOpcode::more, true}) +
      ws_frame(big) + ws_frame("", {WsOpcode::close});
  expect_any_cut(true, bytes, {"frame one", "ping p", "frame abc", "frame " + big, "closed"});
}

/// An idle client costs little, however long its last frame was.
TEST(FrameReaderTest, StorageOfALongFrameIsGivenBack) {
  for (const bool websocket : {false, true}) {
    FrameReader reader(websocket);
    const std::string body(kLimit, 'x');
    std::string bytes = websocket ? ws_frame(body) : length_frame(body);
    std::span<std::byte> cut = std::as_writable_bytes(std::span(bytes)).first(500);
    EXPECT_EQ(reader.next(cut, kLimit).kind, Kind::more);
    std::span<std::byte> rest = std::as_writable_bytes(std::span(bytes)).subspan(500);
    EXPECT_EQ(reader.next(rest, kLimit).kind, Kind::frame);
    EXPECT_GE(reader.storage(), kLimit);
    reader.release();
    EXPECT_LE(reader.storage(), 256U);
  }
}

TEST(FrameReaderTest, LongFramesAreRefusedByTheirLengthAlone) {
  const std::string frame = length_frame(std::string(kLimit + 1, 'x'));
  EXPECT_EQ(read_whole(false, frame.substr(0, 4)), std::vector<std::string>{"too large"});
  const std::string message = ws_frame(std::string(kLimit + 1, 'x'));
  EXPECT_EQ(read_whole(true, message.substr(0, 8)), std::vector<std::string>{"too large"});
  EXPECT_EQ(read_whole(true, ws_frame(std::string(kLimit, 'x'), {WsOpcode::binary, false}) +
                                 ws_frame("y", {WsOpcode::more})),
            std::vector<std::string>{"too large"});
}

TEST(FrameReaderTest, FragmentsAreBounded) {
  std::string bytes = ws_frame("", {WsOpcode::binary, false});
  for (std::uint64_t i = 1; i < kFragments; ++i) bytes += ws_frame("", {WsOpcode::more, false});
  EXPECT_EQ(read_whole(true, bytes), std::vector<std::string>{});
  EXPECT_EQ(read_whole(true, bytes + ws_frame("", {WsOpcode::more, true})),
            std::vector<std::string>{"malformed"});
}

TEST(FrameReaderTest, WhatRfc6455ForbidsIsMalformed) {
  const auto changed = [](std::string bytes, std::size_t at, int byte) {
    bytes[at] = static_cast<char>(byte);
    return bytes;
  };
  for (const std::string& bytes : {
           changed(ws_frame("a"), 0, 0xc2),                    // a reserved bit: compression
           changed(ws_frame("a"), 0, 0x83),                    // an unknown opcode
           changed(ws_frame("a"), 1, 0x01),                    // without a mask
           ws_frame("a", {WsOpcode::text}),                    // text
           ws_frame("a", {WsOpcode::ping, false}),             // a control frame in parts
           ws_frame(std::string(126, 'a'), {WsOpcode::ping}),  // a long one
           ws_frame("a", {WsOpcode::more}),                    // more of nothing
           ws_frame("a", {WsOpcode::binary, false}) + ws_frame("b"),
           std::string("\x82\xfe\x00\x05", 4),                           // not the shortest
           std::string("\x82\xff\x00\x00\x00\x00\x00\x00\xff\xff", 10),  // likewise
           std::string("\x82\xff\x80\x00\x00\x00\x00\x00\x00\x00", 10),  // beyond 63 bits
       }) {
    EXPECT_EQ(read_whole(true, bytes), std::vector<std::string>{"malformed"});
  }
}

TEST(FrameReaderTest, WhatWasHandedOutIsGivenBack) {
  FrameReader reader(false);
  std::string bytes = length_frame(std::string(kLimit, 'x'));
  std::span<std::byte> first = std::as_writable_bytes(std::span(bytes)).first(500);
  EXPECT_EQ(reader.next(first, kLimit).kind, Kind::more);
  EXPECT_TRUE(reader.in_frame());
  std::span<std::byte> second = std::as_writable_bytes(std::span(bytes)).subspan(500);
  EXPECT_EQ(reader.next(second, kLimit).kind, Kind::frame);
  EXPECT_FALSE(reader.in_frame());
  reader.release();
  EXPECT_EQ(reader.held(), 0U);
}

}  // namespace
}  // namespace starbus::nodes::gate::net
