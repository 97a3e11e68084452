// bustop trace: what the passages of a trace say about the stations and the links between them.
#include "tools/bustop/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/fake_daemon.hpp"

namespace starbus::bustop::test {
namespace {

using testing::HasSubstr;

// Clocks of a, busroot and b are unlike each other; 100 us each way on the first link, 50 on the
// second, 10 on the third; busroot took 5 us each time.
constexpr const char* kThere = R"({"name":"player/7","lane":"bulk","end":"owner","hops":[
  {"where":"a","at_ns":1000000,"queued_bytes":4096},
  {"where":"root-1","at_ns":900000000,"queued_bytes":0},
  {"where":"b","at_ns":5000,"queued_bytes":10},
  {"where":"b.space-2","at_ns":15000,"queued_bytes":0},
  {"where":"b","at_ns":25000,"queued_bytes":0},
  {"where":"root-1","at_ns":900120000,"queued_bytes":0},
  {"where":"a","at_ns":1320000,"queued_bytes":0}]})";

TEST(TraceStations, OnlyDifferencesOnOneClockCount) {
  const auto trace = parse_trace(kThere);
  ASSERT_TRUE(trace);
  const auto stations = stations_of(*trace);
  ASSERT_EQ(stations.size(), 4U);
  EXPECT_EQ(stations[0].where, "a");
  EXPECT_EQ(stations[0].queued_bytes, 4096U);
  EXPECT_DOUBLE_EQ(stations[1].link_rtt_us, 200);
  EXPECT_DOUBLE_EQ(stations[2].link_rtt_us, 100);
  EXPECT_DOUBLE_EQ(stations[3].link_rtt_us, 20);
  EXPECT_DOUBLE_EQ(stations[3].reached_us, 160);
}

TEST(TraceStations, AnotherWayBackHasNone) {
  auto trace = parse_trace(kThere);
  ASSERT_TRUE(trace);
  trace->passages.back().where = "c";
  EXPECT_TRUE(stations_of(*trace).empty());
  EXPECT_THAT(render_trace(*trace, {}), HasSubstr("another way"));
}

TEST(TraceParsing, RefusesWhatIsNoTrace) {
  for (const char* text : {"", "[]", "{}", R"({"hops":[]})", R"({"hops":[{"at_ns":"x"}]})",
                           R"({"hops":[7]})", R"({"hops":{}})"}) {
    EXPECT_FALSE(parse_trace(text)) << text;
  }
}

class TraceCommand : public testing::Test {
 protected:
  TraceCommand() { daemon_.set_cluster(); }
  FakeDaemon daemon_;
};

TEST_F(TraceCommand, ShowsEachHop) {
  daemon_.set("/trace", kThere);
  const Ran ran = run({"trace", "player/7", "--lane", "bulk"}, daemon_.url());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "player/7, lane bulk: delivered to its process\n"
            "\n"
            "HOP        REACHED AFTER  LINK ROUND TRIP  QUEUED BEFORE IT\n"
            "a                      0                             4.1 kB\n"
            "root-1            100 us           200 us               0 B\n"
            "b                 150 us           100 us              10 B\n"
            "b.space-2         160 us            20 us\n"
            "there and back: 320 us\n");
  const Ran as_json = run({"trace", "player/7", "--json"}, daemon_.url());
  const auto json = nlohmann::json::parse(as_json.out);
  EXPECT_EQ(json["end"], "owner");
  EXPECT_EQ(json["stations"].size(), 4U);
  EXPECT_EQ(json["round_trip_us"], 320);
}

TEST_F(TraceCommand, SaysWhereItEnded) {
  daemon_.set("/trace", R"({"name":"player/7","lane":"call","end":"no_owner","hops":[
    {"where":"a","at_ns":1},{"where":"root-1","at_ns":1},{"where":"a","at_ns":9001}]})");
  const Ran ran = run({"trace", "player/7"}, daemon_.url());
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("no_owner"));
}

TEST_F(TraceCommand, LostOnItsWayIsSaid) {
  daemon_.set("/trace", R"({"error":"deadline","detail":"no answer within 3 s"})", 504);
  const Ran ran = run({"trace", "player/7"}, daemon_.url());
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("bustop why player/7"));
}

}  // namespace
}  // namespace starbus::bustop::test
