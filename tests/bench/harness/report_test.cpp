#include "bench/harness/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/harness/table.hpp"

namespace starbus::bench {
namespace {

using Json = nlohmann::json;

Report of_two_peers() {
  Report report("bus", {{"nats", "starbus"}, "starbus", {"nats"}});
  int repetition = 0;
  for (const double rate : {100.0, 300.0, 200.0}) {
    report.figures().add("thr", "starbus", repetition, {{"rate", rate}, {"p99", rate / 10}});
    report.figures().add("thr", "nats", repetition, {{"rate", 50}});
    report.figures().add("alone", "starbus", repetition, {{"p99", 5}});
    ++repetition;
  }
  return report;
}

TEST(Report, JsonHasMedianLeastMostAndRatio) {
  Report report = of_two_peers();
  report.add({"thr.rate", "1/s", {"thr", "rate"}});
  const Json json = Json::parse(report.json());
  EXPECT_EQ(json["bus.thr.rate.starbus"], 200);
  EXPECT_EQ(json["bus.thr.rate.starbus.least"], 100);
  EXPECT_EQ(json["bus.thr.rate.starbus.most"], 300);
  EXPECT_EQ(json["bus.thr.rate.nats"], 50);
  EXPECT_EQ(json["bus.thr.rate.ratio_nats"], 4);
  EXPECT_FALSE(json.contains("bus.thr.rate.bar"));
}

TEST(Report, RatioIsTakenWithinEachRepetition) {
  Report report("bus", {{"nats", "starbus"}, "starbus", {"nats"}});
  for (const int slow : {1, 2, 10}) {  // the machine slows both
    report.figures().add("rr", "starbus", slow, {{"p50", 3.0 * slow}});
    report.figures().add("rr", "nats", slow, {{"p50", 6.0 * slow}});
  }
  report.figures().add("rr", "starbus", 11, {{"p50", 1}});  // nats failed
  report.add({"rr.p50", "us", {"rr", "p50"}});
  EXPECT_EQ(Json::parse(report.json())["bus.rr.p50.ratio_nats"], 0.5);
}

TEST(Report, QuotientOfTwoCasesIsARow) {
  Report report = of_two_peers();
  report.add({"thr.p99.ratio", "x alone", {"thr", "p99"}, Row::Figure{"alone", "p99"}});
  EXPECT_EQ(Json::parse(report.json())["bus.thr.p99.ratio.starbus"], 4);
}

TEST(Report, BarsAreMetOnTheirOwnSideAndAtTheLimit) {
  for (const auto& [kind, limit, met] : {std::tuple{Bar::Kind::at_least, 200.0, true},
                                         {Bar::Kind::at_least, 201.0, false},
                                         {Bar::Kind::at_most, 200.0, true},
                                         {Bar::Kind::at_most, 199.0, false}}) {
    Report report = of_two_peers();
    report.add({"thr.rate", "1/s", {"thr", "rate"}, {}, Bar{kind, limit}});
    EXPECT_EQ(report.missed(), met ? 0U : 1U);
    EXPECT_EQ(Json::parse(report.json())["bus.thr.rate.met"], met);
    EXPECT_NE(report.table().find(met ? "  met" : "  NOT MET"), std::string::npos);
  }
}

TEST(Report, BarMayBeForTheRatioToAPeer) {
  Report report = of_two_peers();
  report.add({"thr.rate", "1/s", {"thr", "rate"}, {}, Bar{Bar::Kind::at_least, 5, "nats"}});
  EXPECT_EQ(report.missed(), 1U);
  EXPECT_NE(report.table().find(">= 5.00 x nats  NOT MET"), std::string::npos);
}

TEST(Report, BarWithoutAFigureIsMissed) {
  Report report = of_two_peers();
  EXPECT_FALSE(report.has_bars());
  report.add({"gone", "us", {"gone", "p50"}, {}, Bar{Bar::Kind::at_most, 5}});
  EXPECT_TRUE(report.has_bars());
  EXPECT_EQ(report.missed(), 1U);
  EXPECT_NE(report.table().find("NOT MEASURED"), std::string::npos);
}

TEST(Report, BarOfAPaceIsScaledByTheMachine) {
  Bar bar{Bar::Kind::at_most, 100};
  bar.pace = Bar::Pace{{"alone", "starbus", "p99"}, 2.5};  // half as fast here
  Report report = of_two_peers();
  report.add({"thr.rate", "1/s", {"thr", "rate"}, {}, bar});
  EXPECT_EQ(report.missed(), 0U);
  EXPECT_EQ(Json::parse(report.json())["bus.thr.rate.bar_at_pace"], 200);
}

TEST(Report, BarOfTheMachineIsNotMissed) {
  Report report = of_two_peers();
  Bar bar{Bar::Kind::at_most, 1};
  bar.of_machine = true;
  report.add({"thr.rate", "1/s", {"thr", "rate"}, {}, bar});
  EXPECT_EQ(report.missed(), 0U);
  EXPECT_NE(report.table().find("a slower machine"), std::string::npos);
}

TEST(Report, OnePeerNeedsNoName) {
  Report report("aoi", {});
  report.figures().add("w1", "", 0, {{"move", 12}});
  report.add({"w1", "ns/move", {"w1", "move"}});
  report.note("others", 3, "%");
  EXPECT_EQ(report.table(),
            "figure  unit     median\n"
            "w1      ns/move    12.0\n"
            "others: 3.00 %\n");
  const Json json = Json::parse(report.json());
  EXPECT_EQ(json["aoi.w1"], 12);
  EXPECT_EQ(json["aoi.others"], 3);
}

TEST(Table, LeavesOutColumnsThatSayNothing) {
  EXPECT_EQ(table_of({{"a", true, {"x", "yy"}}, {"b", false, {"-", ""}}, {"c", false, {"1", ""}}}),
            "a   c\n"
            "x   1\n"
            "yy\n");
}

}  // namespace
}  // namespace starbus::bench
