// Packets in few bytes: what is deflated, how often, and that a client reads it.
#include <gtest/gtest.h>

#include "clients/cpp/inflate.hpp"
#include "entity/archive/encoder.hpp"
#include "nodes/gate/node/limits.hpp"
#include "nodes/gate/node/packet_frame.hpp"

namespace starbus::nodes::gate {
namespace {

/// Bytes as of a game: words that come again, and numbers that do not.
Body like_a_game(std::size_t size) {
  std::string text;
  for (std::uint32_t i = 0; text.size() < size; ++i) {
    text += "sword of the north";
    text += std::to_string(i * 2'654'435'761U);
  }
  text.resize(size);
  const bus::ByteView bytes = bus::as_bytes(text);
  return std::make_shared<const bus::Bytes>(bytes.begin(), bytes.end());
}
bus::Bytes whole(const PacketFrame& frame) {
  bus::Bytes bytes = frame.head;
  bytes.insert(bytes.end(), frame.body->begin(), frame.body->end());
  return bytes;
}

TEST(DeflatedFramesTest, AClientReadsWhatWasSaid) {
  DeflatedFrames frames(kDeflateLeast);
  for (const PacketKind kind :
       {PacketKind::full, PacketKind::call, PacketKind::news, PacketKind::spoken}) {
    const Parcel packet{300, kind, 70'000, like_a_game(5'000), {}, {}};
    const bus::Bytes plain = whole(packet_frame(packet));
    const bus::Bytes small = whole(frames.frame(packet));
    EXPECT_LT(small.size(), plain.size() * 2 / 3);
    const auto read = game::inflate_packet(small);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, plain);
  }
  EXPECT_EQ(frames.counters().packets, 4U);
  EXPECT_LT(frames.counters().after, frames.counters().before);
}

TEST(DeflatedFramesTest, OneBodyIsDeflatedOnce) {
  DeflatedFrames frames(kDeflateLeast);
  const Body news = like_a_game(2'000);
  const Body other = like_a_game(3'000);
  PacketFrame first = frames.frame({1, PacketKind::spoken, 0, news, {}, {}});
  for (std::uint64_t c = 2; c <= 5'000; ++c) {
    const PacketFrame frame =
        frames.frame({c, PacketKind::spoken, 0, c % 2 == 0 ? other : news, {}, {}});
    if (c % 2 == 1) ASSERT_EQ(frame.body, first.body);
  }
  EXPECT_EQ(frames.counters().bodies, 2U);
  for (std::size_t i = 0; i < kDeflatedKept; ++i) {
    frames.frame({1, PacketKind::spoken, 0, like_a_game(600), {}, {}});
  }
  frames.frame({1, PacketKind::spoken, 0, news, {}, {}});
  EXPECT_EQ(frames.counters().bodies, 2U + kDeflatedKept + 1);
}

TEST(DeflatedFramesTest, SmallAndHugeBodiesStayAsTheyAre) {
  DeflatedFrames frames(kDeflateLeast);
  for (const std::size_t size : {std::size_t{0}, kDeflateLeast - 1, kDeflateMost + 1}) {
    const Parcel packet{1, PacketKind::call, 0, like_a_game(size), {}, {}};
    EXPECT_EQ(whole(frames.frame(packet)), whole(packet_frame(packet)));
  }
  EXPECT_EQ(frames.counters().bodies, 0U);
  const Parcel last{1, PacketKind::ended, 0, Ended{CloseReason::replaced, false, 0, {}}, {}, {}};
  EXPECT_EQ(whole(frames.frame(last)), whole(packet_frame(last)));
}

TEST(DeflatedFramesTest, WhatDoesNotGetSmallerStaysAsItIs) {
  DeflatedFrames frames(kDeflateLeast);
  bus::Bytes noise(4'000);
  std::uint64_t state = 1;
  for (std::byte& each : noise) {
    state = state * 6'364'136'223'846'793'005U + 1;
    each = static_cast<std::byte>(state >> 56);
  }
  const Parcel packet{1, PacketKind::call, 0, std::make_shared<const bus::Bytes>(noise), {}, {}};
  EXPECT_EQ(whole(frames.frame(packet)), whole(packet_frame(packet)));
  EXPECT_EQ(frames.counters().packets, 0U);
}

}  // namespace
}  // namespace starbus::nodes::gate
