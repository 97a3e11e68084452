/// What clients make of movement is what the server's own code makes of it: the traces that they
/// are tested with, and the types of the methods that they call.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "entity/archive/signature.hpp"
#include "nodes/space/movement/move_replay.hpp"
#include "nodes/space/movement/remote_clock.hpp"
#include "nodes/space/movement/shown_offset.hpp"
#include "nodes/space/movement/snapshots.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::movement {
namespace {

using TraceJson = nlohmann::json;

const TraceJson& traces() {
  static const TraceJson all =
      TraceJson::parse(std::ifstream(source_file("tests/clients/vectors/movement.json")));
  return all;
}
Position position_of(const TraceJson& list) {
  return {list[0].get<float>(), list[1].get<float>(), list[2].get<float>()};
}
Locomotion standing_at(const Position& place) {
  Locomotion move;
  move.position = place;
  return move;
}
Locomotion stepped(const Locomotion& from, const Position& step) {
  Locomotion to = from;
  to.position = {from.position.x + step.x, from.position.y + step.y, from.position.z + step.z};
  return to;
}

TEST(ClientTraces, MovesAreMadeAgainAsClientsDo) {
  std::size_t compared = 0;
  for (const TraceJson& row : traces().at("replays")) {
    if (row.at("name") == "reports without a move") continue;  // of clients alone
    MoveReplay<Position> replay(
        {row.at("epoch"), row.at("number"), true, standing_at(position_of(row.at("at")))}, stepped);
    for (const TraceJson& step : row.at("steps")) {
      if (step.contains("input")) {
        const MoveReport made = replay.move(position_of(step.at("input")), step.at("ms"));
        const TraceJson& want = step.at("report");
        EXPECT_EQ(made, (MoveReport{want.at("epoch"), want.at("number"), want.at("client_ms"),
                                    replay.state()}));
      } else if (step.at("do") == "ack") {
        replay.ack({step.at("epoch"), step.at("number")});
      } else {
        const Correction correction{step.at("epoch"), step.at("number"), step.at("teleport"),
                                    standing_at(position_of(step.at("at")))};
        EXPECT_EQ(replay.correct(correction), step.at("taken"));
      }
      EXPECT_EQ(replay.state().position, position_of(step.at("state")));
      ASSERT_EQ(replay.pending(), step.at("pending")) << row.at("name") << ", " << compared;
      ++compared;
    }
  }
  EXPECT_GT(compared, 300U);
}

TEST(ClientTraces, PlacesAreShownAsClientsDo) {
  for (const TraceJson& row : traces().at("snapshots")) {
    Snapshots places(
        {row.at("snap"), std::chrono::milliseconds(row.at("longest_step").get<int>())});
    for (const TraceJson& step : row.at("steps")) {
      if (step.contains("add")) {
        const TraceJson& add = step.at("add");
        Locomotion move = standing_at(position_of(add.at("position")));
        const Position speed = position_of(add.at("velocity"));
        move.velocity = {speed.x, speed.y, speed.z};
        move.heading = add.at("heading");
        move.at = add.at("at");
        move.teleports = add.at("teleports");
        places.add(move);
        continue;
      }
      const Locomotion shown = places.at(step.at("show"));
      const Position speed = position_of(step.at("shown").at("velocity"));
      EXPECT_EQ(shown.position, position_of(step.at("shown").at("position"))) << row.at("name");
      EXPECT_EQ(shown.velocity, (Velocity{speed.x, speed.y, speed.z})) << row.at("name");
      EXPECT_EQ(shown.heading, step.at("shown").at("heading").get<float>()) << row.at("name");
    }
  }
}

TEST(ClientTraces, CorrectionsAreHiddenAsClientsDo) {
  ShownOffset offset;
  for (const TraceJson& step : traces().at("offsets")) {
    if (step.contains("pass")) {
      offset.pass(step.at("pass"));
    } else {
      offset.corrected(position_of(step.at("from")), position_of(step.at("to")));
    }
    EXPECT_NEAR(distance(offset.shown({}), position_of(step.at("offset"))), 0, 1e-6);
  }
}

TEST(ClientTraces, ClocksAreFollowedAsClientsDo) {
  for (const TraceJson& row : traces().at("clocks")) {
    RemoteClock clock;
    for (const TraceJson& step : row.at("steps")) {
      clock.heard(step.at("remote"), step.at("local").get<std::int64_t>());
      const auto look = step.at("look").get<std::int64_t>();
      EXPECT_NEAR(clock.remote_at(look), step.at("at").get<double>(), 1e-3) << row.at("name");
    }
  }
}

/// Clients name these types: clients/cpp/space/space.hpp, clients/typescript/src/space/methods.ts.
TEST(ClientTraces, TheTypesOfReportsAreThoseThatClientsName) {
  const std::string move = "{f32,f32,f32,f32,f32,f32,f32,f32,u32,u8,u8,b}";
  EXPECT_EQ(entity::signature_of<MoveReport>(), "{u32,u32,u32," + move + "}");
  EXPECT_EQ(entity::signature_of<MoveAck>(), "{u32,u32}");
  EXPECT_EQ(entity::signature_of<Correction>(), "{u32,u32,b," + move + "}");
}

}  // namespace
}  // namespace starbus::nodes::movement
