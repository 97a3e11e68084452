// Deflated packets, against the vectors that every client is tested with.
#include "clients/cpp/inflate.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "clients/cpp/limits.hpp"
#include "tests/places.hpp"

namespace starbus::game {
namespace {

Bytes of_hex(const nlohmann::json& hex) {
  const std::string bytes = starbus::bytes_of_hex(hex.get<std::string>()).value();
  const ByteView view = bytes_of(bytes);
  return {view.begin(), view.end()};
}

/// A deflated packet whose body is so many zeros.
Bytes zeros(std::size_t size) {
  const Bytes body(size);
  Bytes frame(size / 500 + 100);
  frame[0] = std::byte{196};
  frame[1] = frame[2] = std::byte{2};
  z_stream z{};
  EXPECT_EQ(deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(body.data()));
  z.avail_in = static_cast<uInt>(size);
  z.next_out = reinterpret_cast<Bytef*>(frame.data() + 3);
  z.avail_out = static_cast<uInt>(frame.size() - 3);
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  frame.resize(frame.size() - z.avail_out);
  deflateEnd(&z);
  return frame;
}

TEST(Inflate, EachVectorIsReadOrRefused) {
  std::ifstream file(starbus::source_file("tests/nodes/gate/vectors/deflated_packets.json"));
  const nlohmann::json vectors = nlohmann::json::parse(file);
  ASSERT_GT(vectors.at("packets").size(), 8U);
  for (const auto& row : vectors.at("packets")) {
    const auto packet = inflate_packet(of_hex(row.at("deflated")));
    if (row.contains("refused")) {
      EXPECT_FALSE(packet) << row.at("name");
    } else {
      ASSERT_TRUE(packet) << row.at("name");
      EXPECT_EQ(*packet, of_hex(row.at("plain"))) << row.at("name");
    }
  }
}

TEST(Inflate, ABombIsRefusedAtTheBound) {
  const auto largest = inflate_packet(zeros(kPacketBytes));
  ASSERT_TRUE(largest);
  EXPECT_EQ(largest->size(), kPacketBytes + 3);
  EXPECT_FALSE(inflate_packet(zeros(kPacketBytes + 1)));
  EXPECT_FALSE(inflate_packet(zeros(64U * 1024 * 1024)));
}

TEST(Inflate, OtherFramesAreNone) {
  EXPECT_FALSE(is_deflated({}));
  EXPECT_FALSE(inflate_packet({}));
  const Bytes packet{std::byte{68}, std::byte{1}, std::byte{2}};
  EXPECT_FALSE(is_deflated(packet));
  EXPECT_FALSE(inflate_packet(packet));
}

}  // namespace
}  // namespace starbus::game
