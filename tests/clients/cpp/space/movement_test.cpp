// Movement as the server has it: golden bytes of moves, and traces that tests/clients/vectors/
// make_movement.py makes from the documented rules. Clients of other languages read the same.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>

#include "base/hex.hpp"
#include "clients/cpp/space/moves.hpp"
#include "clients/cpp/space/own_move.hpp"
#include "clients/cpp/space/remote_clock.hpp"
#include "clients/cpp/space/snapshots.hpp"
#include "tests/places.hpp"

namespace starbus::game {
namespace {

using MoveJson = nlohmann::json;

MoveJson file_of_moves(const char* path) {
  return MoveJson::parse(std::ifstream(source_file(path)));
}
const MoveJson& golden_moves() {
  static const MoveJson all = file_of_moves("tests/nodes/space_movement/vectors/moves.json");
  return all;
}
const MoveJson& golden_traces() {
  static const MoveJson all = file_of_moves("tests/clients/vectors/movement.json");
  return all;
}
Bytes bytes_of_moves(const MoveJson& hex) {
  const std::string text = starbus::bytes_of_hex(hex.get<std::string>()).value();
  const ByteView view = bytes_of(text);
  return {view.begin(), view.end()};
}
Place place_of(const MoveJson& list) {
  return {list[0].get<float>(), list[1].get<float>(), list[2].get<float>()};
}
void expect_near(const Place& place, const MoveJson& list, double by) {
  EXPECT_NEAR(place.x, list[0].get<double>(), by);
  EXPECT_NEAR(place.y, list[1].get<double>(), by);
  EXPECT_NEAR(place.z, list[2].get<double>(), by);
}
Locomotion still_at(const Place& place) {
  Locomotion move;
  move.position = place;
  return move;
}
Locomotion gone_by(const Locomotion& from, const Place& step) {
  Locomotion to = from;
  to.position = {from.position.x + step.x, from.position.y + step.y, from.position.z + step.z};
  return to;
}

TEST(GameMoves, GoldenBatchesAreRead) {
  for (const MoveJson& row : golden_moves().at("batches")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    const MoveJson& origin = row.at("grid");
    const auto read = read_moves(bytes_of_moves(row.at("hex")), {origin[0], origin[1], origin[2]});
    ASSERT_TRUE(read);
    EXPECT_EQ(read->epoch, row.at("epoch"));
    EXPECT_EQ(read->tick, row.at("tick"));
    EXPECT_EQ(read->time, row.at("time"));
    ASSERT_EQ(read->moves.size(), row.at("moves").size());
    for (std::size_t at = 0; at < read->moves.size(); ++at) {
      const MoveJson& want = row.at("moves")[at];
      const SeenMove& seen = read->moves[at];
      EXPECT_EQ(seen.index, want.at("index"));
      EXPECT_EQ(seen.fine, want.at("detail") == "fine");
      EXPECT_EQ(seen.moving, want.contains("velocity"));
      EXPECT_EQ(seen.move.at, want.at("at"));
      EXPECT_EQ(seen.move.grounded, want.value("grounded", true));
      EXPECT_EQ(seen.move.mode, want.value("mode", 0));
      EXPECT_EQ(seen.move.teleports, want.value("teleports", 0));
      expect_near(seen.move.position, want.at("position"), 0.0051);
      expect_near(seen.move.velocity, want.value("velocity", MoveJson{0, 0, 0}), 0.0051);
      const double turn =
          std::remainder(static_cast<double>(seen.move.heading) - want.at("heading").get<double>(),
                         2 * std::numbers::pi);
      EXPECT_NEAR(turn, 0, seen.fine ? 0.00005 : 0.0123);
      EXPECT_NEAR(seen.move.pitch, want.value("pitch", 0.0), 0.0123);
    }
  }
}

TEST(GameMoves, MalformedBatchesHaveTheirRefusal) {
  for (const MoveJson& row : golden_moves().at("malformed")) {
    const auto read = read_moves(bytes_of_moves(row.at("hex")), {});
    EXPECT_EQ(name_of(read.refusal), row.at("error").get<std::string>()) << row.at("name");
    EXPECT_TRUE(read->moves.empty());
  }
  EXPECT_EQ(read_moves(Bytes(kMoveBatch + 1), {}).refusal, Refusal::too_large);
}

TEST(GameReplay, MakesMovesAgainAsTheRulesSay) {
  for (const MoveJson& row : golden_traces().at("replays")) {
    const Correction start{row.at("epoch"), row.at("number"), true,
                           still_at(place_of(row.at("at")))};
    MoveReplay<Place> replay(start, gone_by);
    for (std::size_t at = 0; at < row.at("steps").size(); ++at) {
      const MoveJson& step = row.at("steps")[at];
      SCOPED_TRACE(row.at("name").get<std::string>() + ", step " + std::to_string(at));
      if (step.contains("report")) {
        const MoveReport made = step.contains("input")
                                    ? replay.move(place_of(step.at("input")), step.at("ms"))
                                    : replay.report(step.at("ms"));
        const MoveJson& want = step.at("report");
        EXPECT_EQ(made, (MoveReport{want.at("epoch"), want.at("number"), want.at("client_ms"),
                                    replay.state()}));
      } else if (step.at("do") == "ack") {
        replay.ack({step.at("epoch"), step.at("number")});
      } else {
        const Correction correction{step.at("epoch"), step.at("number"), step.at("teleport"),
                                    still_at(place_of(step.at("at")))};
        EXPECT_EQ(replay.correct(correction), step.at("taken"));
      }
      EXPECT_EQ(replay.state().position, place_of(step.at("state")));
      ASSERT_EQ(replay.pending(), step.at("pending"));
    }
  }
}

TEST(GameReplay, AStepThatThrowsChangesNothing) {
  MoveReplay<float> replay({1, 0, true, {}}, [](const Locomotion& from, const float& metres) {
    if (metres > 1000) throw std::runtime_error("no such step");
    return gone_by(from, {metres, 0, 0});
  });
  static_cast<void>(replay.move(1, 0));
  EXPECT_THROW(static_cast<void>(replay.move(2000, 20)), std::runtime_error);
  EXPECT_EQ(replay.pending(), 1U);
  EXPECT_EQ(replay.state().position.x, 1);
  EXPECT_EQ(replay.move(1, 40).number, 2U);
}

TEST(GameSnapshots, AreShownAsTheRulesSay) {
  for (const MoveJson& row : golden_traces().at("snapshots")) {
    Snapshots places({row.at("snap"), milliseconds(row.at("longest_step").get<int>())});
    EXPECT_EQ(places.at(5), Locomotion{});
    for (std::size_t at = 0; at < row.at("steps").size(); ++at) {
      const MoveJson& step = row.at("steps")[at];
      SCOPED_TRACE(row.at("name").get<std::string>() + ", step " + std::to_string(at));
      if (step.contains("add")) {
        const MoveJson& add = step.at("add");
        Locomotion move = still_at(place_of(add.at("position")));
        move.velocity = place_of(add.at("velocity"));
        move.heading = add.at("heading");
        move.at = add.at("at");
        move.teleports = add.at("teleports");
        places.add(move);
        continue;
      }
      const Locomotion shown = places.at(step.at("show"));
      EXPECT_EQ(shown.position, place_of(step.at("shown").at("position")));
      EXPECT_EQ(shown.velocity, place_of(step.at("shown").at("velocity")));
      EXPECT_EQ(shown.heading, step.at("shown").at("heading").get<float>());
    }
  }
}

TEST(GameSnapshots, KeepTheNewestAndTellTheNearest) {
  Snapshots places;
  EXPECT_EQ(places.nearest(0), nullptr);
  for (std::uint32_t i = 0; i < kSnapshots + 8; ++i) {
    Locomotion move = still_at({static_cast<float>(i), 0, 0});
    move.at = 1000 + i * 100;
    places.add(move);
  }
  EXPECT_EQ(places.size(), kSnapshots);
  EXPECT_EQ(places.nearest(1949)->position.x, 9);
  EXPECT_EQ(places.nearest(1951)->position.x, 10);
  EXPECT_EQ(places.nearest(1799), nullptr);
}

TEST(GameOffset, HidesCorrectionsAsTheRulesSay) {
  ShownOffset offset;
  for (const MoveJson& step : golden_traces().at("offsets")) {
    if (step.contains("pass")) {
      offset.pass(step.at("pass"));
    } else {
      offset.corrected(place_of(step.at("from")), place_of(step.at("to")));
    }
    expect_near(offset.shown({}), step.at("offset"), 1e-6);
  }
}

TEST(GameRemoteClock, FollowsAsTheRulesSay) {
  for (const MoveJson& row : golden_traces().at("clocks")) {
    RemoteClock clock;
    EXPECT_EQ(clock.remote_at(7), 0);
    for (const MoveJson& step : row.at("steps")) {
      clock.heard(step.at("remote"), step.at("local").get<std::int64_t>());
      EXPECT_NEAR(clock.remote_at(step.at("look").get<std::int64_t>()), step.at("at").get<double>(),
                  1e-3);
    }
  }
}

TEST(GameOwnMove, ReportsAtItsRateAndTheLastOneToo) {
  OwnMove<Place> own({4, 10, true, {}}, gone_by);
  EXPECT_EQ(own.due_at(), Time::max());
  std::vector<std::uint32_t> said;
  for (Time now{1000}; now < Time(1360); now += Time(16)) {
    if (now < Time(1300)) own.move({1, 0, 0}, now);
    if (const auto report = own.report(now)) said.push_back(report->number);
  }
  EXPECT_EQ(said, (std::vector<std::uint32_t>{11, 18, 25, 29}));
  EXPECT_EQ(own.due_at(), Time::max());
  own.ack({4, 25});
  EXPECT_EQ(own.pending(), 4U);
}

TEST(GameOwnMove, SaysWhatWasMadeAgainAndShowsATeleportAtOnce) {
  OwnMove<Place> own({1, 0, true, {}}, gone_by);
  for (Time now{0}; now < Time(80); now += Time(16)) own.move({1, 0, 0}, now);
  ASSERT_TRUE(own.report(Time(80)));
  EXPECT_TRUE(own.correct({2, 3, false, still_at({2, 0, 0})}, Time(90)));
  EXPECT_FALSE(own.correct({2, 3, false, still_at({9, 0, 0})}, Time(90)));
  EXPECT_EQ(own.state().position.x, 4);  // two moves were made again
  EXPECT_EQ(own.shown(Time(90)).x, 5);   // it is seen where it was
  EXPECT_LT(own.shown(Time(140)).x, 4.6F);
  EXPECT_FALSE(own.report(Time(90)));
  const auto report = own.report(Time(180));
  ASSERT_TRUE(report);
  EXPECT_EQ(*report, (MoveReport{2, 6, 90, own.state()}));
  own.keep(*report);  // it could not be said
  EXPECT_EQ(own.report(Time(280)), report);
  EXPECT_TRUE(own.correct({3, 6, true, still_at({7, 0, 0})}, Time(300)));
  EXPECT_EQ(own.shown(Time(300)).x, 7);
  EXPECT_EQ(own.due_at(), Time::max());
}

}  // namespace
}  // namespace starbus::game
