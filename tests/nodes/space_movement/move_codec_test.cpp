/// Bytes of movement: precision, sizes, forms, and golden vectors, which clients of other languages
/// are tested with, too.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "base/hex.hpp"
#include "nodes/space/movement/move_wire.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::movement {
namespace {

using nlohmann::json;

SeenMove round_trip(const Locomotion& move, Detail detail, std::uint32_t time = 0,
                    const MoveGrid& grid = {}) {
  bus::Bytes bytes;
  MoveBatch batch(bytes, {1, 2, time});
  const auto body = MoveEncoder(grid).encode(move, detail, time);
  EXPECT_TRUE(body);
  EXPECT_TRUE(batch.add(7, *body));
  std::vector<SeenMove> seen;
  const auto header = MoveDecoder(grid).decode(bytes, seen);
  EXPECT_TRUE(header);
  EXPECT_EQ(*header, (BatchHeader{1, 2, time}));
  EXPECT_EQ(seen.size(), 1U);
  return seen.empty() ? SeenMove{} : seen[0];
}

std::size_t size_of(const Locomotion& move, Detail detail) {
  return kMoveIndex + MoveEncoder().encode(move, detail, move.at)->size();
}

TEST(MoveCodec, AWalkingMoverTakesAtMostTwelveBytes) {
  Locomotion move;
  move.position = {-7654.32F, 8000, 120};
  move.velocity = {3, -4, 0};
  move.heading = 2;
  EXPECT_EQ(size_of(move, Detail::coarse), 10U);
  EXPECT_EQ(size_of(move, Detail::fine), 11U);
  // A whole batch of a hundred, header and all.
  bus::Bytes bytes;
  MoveBatch batch(bytes, {});
  for (std::uint16_t i = 1; i <= 100; ++i) {
    EXPECT_TRUE(batch.add(i, *MoveEncoder().encode(move, Detail::fine, 0)));
  }
  EXPECT_EQ(bytes.size(), kBatchHeader + 1100);
  EXPECT_EQ(batch.movers(), 100U);
}

TEST(MoveCodec, EightKilometresAwayACentimetreIsKept) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> place(-8000, 8000);
  for (int i = 0; i < 20'000; ++i) {
    Locomotion move;
    move.position = {place(random), place(random), place(random)};
    move.grounded = false;
    const Position read = round_trip(move, Detail::coarse).move.position;
    ASSERT_LE(std::abs(read.x - move.position.x), 0.0061F);
    ASSERT_LE(std::abs(read.y - move.position.y), 0.0061F);
    ASSERT_LE(std::abs(read.z - move.position.z), 0.0061F);
  }
}

TEST(MoveCodec, AnglesKeepHalfAStep) {
  for (int i = -4000; i <= 4000; ++i) {
    const double angle = i * 0.01;
    for (const unsigned bits : {8U, 16U}) {
      const double read = static_cast<double>(angle_of(angle_code(angle, bits), bits));
      const double step = 2 * std::numbers::pi / (1U << bits);
      ASSERT_LE(std::abs(std::remainder(read - angle, 2 * std::numbers::pi)), step / 2 + 1e-6);
      ASSERT_TRUE(read >= -std::numbers::pi - 1e-6 && read < std::numbers::pi);
    }
  }
  const double degree = std::numbers::pi / 180;
  EXPECT_EQ(angle_code(359.999 * degree, 16), angle_code(-0.001 * degree, 16));
  EXPECT_LT(angle_code(1e30, 16), 65'536U);
}

TEST(MoveCodec, TheGroundIsNotSaid) {
  Locomotion move;
  move.position = {1, 2, 3};
  EXPECT_EQ(round_trip(move, Detail::fine).move.position, (Position{1, 2, 0}));
  move.grounded = false;
  EXPECT_EQ(round_trip(move, Detail::fine).move.position, (Position{1, 2, 3}));
  EXPECT_EQ(size_of(move, Detail::coarse), 13U);
}

TEST(MoveCodec, VelocityIsSaidInTheAirAndNearBy) {
  Locomotion move;
  move.velocity = {1.23F, -4.56F, 327.67F};
  EXPECT_FALSE(round_trip(move, Detail::fine).moving);
  move.grounded = false;
  EXPECT_FALSE(round_trip(move, Detail::coarse).moving);
  const SeenMove seen = round_trip(move, Detail::fine);
  EXPECT_TRUE(seen.moving);
  EXPECT_EQ(seen.move.velocity, move.velocity);
  move.velocity.z = 9000;  // faster than the bytes can say
  EXPECT_FLOAT_EQ(round_trip(move, Detail::fine).move.velocity.z, 327.67F);
  move.velocity.z = -9000;
  EXPECT_FLOAT_EQ(round_trip(move, Detail::fine).move.velocity.z, -327.68F);
}

TEST(MoveCodec, ModesOtherThanTheFirstCostAByte) {
  Locomotion move;
  move.mode = 200;
  EXPECT_EQ(round_trip(move, Detail::coarse).move.mode, 200);
  EXPECT_EQ(size_of(move, Detail::coarse), 11U);
  EXPECT_EQ(size_of(move, Detail::fine), 13U);  // with the pitch
  move.mode = 0;
  move.pitch = 0.5F;
  EXPECT_NEAR(round_trip(move, Detail::fine).move.pitch, 0.5, std::numbers::pi / 256);
  EXPECT_EQ(round_trip(move, Detail::coarse).move.pitch, 0);
}

TEST(MoveCodec, TheAgeOfAMoveIsKept) {
  Locomotion move;
  move.at = 0xfffffff0;
  EXPECT_EQ(round_trip(move, Detail::fine, 0xfffffff0).move.at, 0xfffffff0);
  EXPECT_EQ(round_trip(move, Detail::fine, 84).move.at, 0xfffffff0);           // over the wrap
  EXPECT_EQ(round_trip(move, Detail::fine, 85).move.at, 0xfffffff1);           // steps of 2 ms
  EXPECT_EQ(round_trip(move, Detail::fine, 10'000).move.at, 10'000U - 510);    // it has stood since
  EXPECT_EQ(round_trip(move, Detail::fine, 0xffffff00).move.at, 0xffffff00U);  // not of the future
}

TEST(MoveCodec, BeyondTheGridTheFullFormIsTaken) {
  const auto size_at = [](float x, float z) {
    Locomotion move;
    move.position = {x, 0, z};
    move.grounded = false;
    const SeenMove seen = round_trip(move, Detail::coarse);
    EXPECT_NEAR(seen.move.position.x, x, 0.01);
    EXPECT_NEAR(seen.move.position.z, z, 0.01);
    return size_of(move, Detail::coarse);
  };
  const float edge = static_cast<float>(kCompactReach) / 100;
  const float top = static_cast<float>(kCompactHeight) / 100;
  EXPECT_EQ(size_at(edge, top), 13U);
  EXPECT_EQ(size_at(-edge, -top), 13U);
  EXPECT_EQ(size_at(edge + 0.02F, 0), 17U);
  EXPECT_EQ(size_at(-edge - 0.02F, 0), 17U);
  EXPECT_EQ(size_at(0, top + 0.02F), 17U);
  EXPECT_EQ(size_at(1'000'000, -1'000'000), 17U);
}

TEST(MoveCodec, AGridMayLieElsewhere) {
  Locomotion move;
  move.position = {30'000.5F, -30'000.5F, 0};
  EXPECT_EQ(size_of(move, Detail::coarse), 13U);
  const MoveGrid grid{30'000, -30'000, 0};
  EXPECT_EQ(MoveEncoder(grid).encode(move, Detail::coarse, 0)->size(), 8U);
  EXPECT_EQ(round_trip(move, Detail::coarse, 0, grid).move.position, move.position);
}

TEST(MoveCodec, WhatIsNoNumberIsNotEncoded) {
  Locomotion move;
  move.position.x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(MoveEncoder().encode(move, Detail::fine, 0).error(), MoveErrc::not_finite);
  move.position.x = 2e6F;
  EXPECT_EQ(MoveEncoder().encode(move, Detail::fine, 0).error(), MoveErrc::too_far);
}

// Whatever is dropped on the way, what comes is read as if nothing had been.
TEST(MoveCodec, AnyUpdateIsReadWithoutTheOnesBefore) {
  std::mt19937 random(5);
  Locomotion move;
  MoveDecoder one;
  for (std::uint32_t tick = 0; tick < 500; ++tick) {
    move.position.x += static_cast<float>(random() % 100) / 20;
    move.position.z = static_cast<float>(random() % 100);
    move.heading = static_cast<float>(random() % 600) / 100;
    move.grounded = random() % 3 != 0;
    move.mode = static_cast<std::uint8_t>(random() % 2);
    move.teleports = static_cast<std::uint8_t>(move.teleports + random() % 2);
    move.at = tick * 100;
    bus::Bytes bytes;
    MoveBatch batch(bytes, {1, tick, move.at});
    ASSERT_TRUE(batch.add(3, *MoveEncoder().encode(move, Detail::fine, move.at)));
    if (random() % 2 == 0) continue;  // lost
    std::vector<SeenMove> seen;
    std::vector<SeenMove> fresh;
    ASSERT_TRUE(one.decode(bytes, seen));
    ASSERT_TRUE(MoveDecoder().decode(bytes, fresh));
    EXPECT_EQ(seen, fresh);
    EXPECT_NEAR(seen[0].move.position.x, move.position.x, 0.01);
    EXPECT_EQ(seen[0].move.mode, move.mode);
    EXPECT_EQ(seen[0].move.teleports, move.teleports & 1);
  }
}

TEST(MoveCodec, BatchesAreBounded) {
  bus::Bytes bytes(100);  // what is there before does not count
  MoveBatch batch(bytes, {});
  const MoveBody body = *MoveEncoder().encode({}, Detail::coarse, 0);
  EXPECT_FALSE(batch.add(0, body));
  std::size_t fits = 0;
  while (batch.add(1, body)) ++fits;
  EXPECT_EQ(fits, (kMaxMoveBatch - kBatchHeader) / 10);
  const bus::ByteView view = bus::ByteView(bytes).subspan(100);
  std::vector<SeenMove> seen;
  EXPECT_TRUE(MoveDecoder().decode(view, seen));
  EXPECT_EQ(seen.size(), fits);
  EXPECT_EQ(MoveDecoder().decode(bus::Bytes(kMaxMoveBatch + 1, std::byte{1}), seen).error(),
            MoveErrc::too_large);
  EXPECT_TRUE(seen.empty());
}

bus::Bytes bytes_of(const json& hex) {
  const auto bytes = bytes_of_hex(hex.get<std::string>());
  EXPECT_TRUE(bytes) << hex;
  const bus::ByteView view = bus::as_bytes(*bytes);
  return {view.begin(), view.end()};
}

const json& golden_moves() {
  static const json file =
      json::parse(std::ifstream(source_file("tests/nodes/space_movement/vectors/moves.json")));
  return file;
}

Locomotion move_of(const json& row) {
  Locomotion move;
  const json& place = row.at("position");
  move.position = {place.at(0), place.at(1), place.at(2)};
  const json speeds = row.value("velocity", json::array({0, 0, 0}));
  move.velocity = {speeds.at(0), speeds.at(1), speeds.at(2)};
  move.heading = row.at("heading");
  move.pitch = row.value("pitch", 0.0F);
  move.at = row.at("at");
  move.mode = row.value("mode", std::uint8_t{0});
  move.teleports = row.value("teleports", std::uint8_t{0});
  move.grounded = row.value("grounded", true);
  return move;
}

void expect_seen(const SeenMove& seen, const json& row) {
  const Locomotion move = move_of(row);
  const bool fine = row.at("detail") == "fine";
  EXPECT_EQ(seen.index, row.at("index"));
  EXPECT_NEAR(seen.move.position.x, move.position.x, 0.01);
  EXPECT_NEAR(seen.move.position.y, move.position.y, 0.01);
  EXPECT_NEAR(seen.move.position.z, move.grounded ? 0 : move.position.z, 0.01);
  EXPECT_NEAR(std::remainder(seen.move.heading - move.heading, 2 * std::numbers::pi_v<float>), 0,
              fine ? 0.0001 : 0.013);
  EXPECT_NEAR(seen.move.pitch, fine ? move.pitch : 0, 0.013);
  EXPECT_EQ(seen.move.at, move.at);
  EXPECT_EQ(seen.move.mode, move.mode);
  EXPECT_EQ(seen.move.teleports, move.teleports & 1);
  EXPECT_EQ(seen.move.velocity, move.velocity);
}

TEST(MoveVectors, BatchesHaveGoldenBytes) {
  ASSERT_GE(golden_moves().at("batches").size(), 10U);
  for (const json& row : golden_moves().at("batches")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    const MoveGrid grid{row.at("grid").at(0), row.at("grid").at(1), row.at("grid").at(2)};
    const BatchHeader header{row.at("epoch"), row.at("tick"), row.at("time")};
    bus::Bytes bytes;
    MoveBatch batch(bytes, header);
    for (const json& mover : row.at("moves")) {
      const Detail detail = mover.at("detail") == "fine" ? Detail::fine : Detail::coarse;
      const auto body = MoveEncoder(grid).encode(move_of(mover), detail, header.time);
      ASSERT_TRUE(body);
      EXPECT_TRUE(batch.add(mover.at("index"), *body));
    }
    EXPECT_EQ(hex_of(bus::as_text(bytes)), row.at("hex").get<std::string>());
    std::vector<SeenMove> seen;
    const auto read = MoveDecoder(grid).decode(bytes_of(row.at("hex")), seen);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, header);
    ASSERT_EQ(seen.size(), row.at("moves").size());
    for (std::size_t i = 0; i < seen.size(); ++i) expect_seen(seen[i], row.at("moves").at(i));
  }
}

TEST(MoveVectors, MalformedBytesHaveTheirError) {
  for (const json& row : golden_moves().at("malformed")) {
    std::vector<SeenMove> seen(3);
    const auto read = MoveDecoder().decode(bytes_of(row.at("hex")), seen);
    EXPECT_FALSE(read) << row.at("name");
    EXPECT_EQ(name_of(read.error().code), row.at("error").get<std::string>()) << row.at("name");
    EXPECT_TRUE(seen.empty());
  }
}

}  // namespace
}  // namespace starbus::nodes::movement
