// bustop spaces: what is gathered from the service of spaces and its nodes, and how it is shown.
#include <gmock/gmock.h>

#include <map>

#include "tests/tools/fake_daemon.hpp"
#include "tools/bustop/spaces/space_view.hpp"

namespace starbus::bustop::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kService = "a.spaces-1";

/// The service and its nodes as documents by their question.
class SpacesViewTest : public testing::Test {
 protected:
  SpacesViewTest() {
    documents["a.spaces-1/spaces?after="] =
        page(json::array({row("cave-1", "a.w1", 7), row("town-1", "b.w2", 5)}), true);
    documents["a.spaces-1/spaces?after=town-1"] =
        page(json::array({row("town-2", "b.w2", 0)}), false);
    documents["a.w1/spaces"] = {{"spaces", json::array({running("cave-1", 3)})}};
    documents["b.w2/spaces"] = {{"spaces", json::array({running("town-1", 9)})}};
  }
  static json row(const char* space, const char* node, int taken) {
    return {{"space", space}, {"state", "ready"},     {"node", node},
            {"taken", taken}, {"soft_capacity", 240}, {"capacity", 300}};
  }
  static json running(const char* space, int others) {
    return {{"space", space},
            {"others", others},
            {"tick",
             {{"window_missed", 2},
              {"took_ms", {{"p50", 4.6}, {"p99", 16.0}}},
              {"late_ms", {{"p99", 1.2}}}}}};
  }
  static json page(json rows, bool more) {
    return {{"here", true},
            {"waiters", 4},
            {"more", more},
            {"nodes",
             json::array(
                 {{{"node", "a.w1"}, {"announced", true}, {"spaces", 1}, {"busy_ms_per_s", 87.5}},
                  {{"node", "b.w2"}, {"announced", true}, {"draining", true}, {"spaces", 2}}})},
            {"spaces", std::move(rows)}};
  }
  NodeLook look() {
    return [this](const std::string& node, const std::string& target) -> bus::Result<json> {
      asked.push_back(node + target);
      const auto found = documents.find(node + target);
      if (found != documents.end()) return found->second;
      return bus::Error(bus::Errc::deadline, node + " does not answer");
    };
  }
  SpaceList list(const SpacesQuery& query) {
    auto listed = list_spaces(kService, look(), query);
    EXPECT_TRUE(listed) << listed.error().to_string();
    return listed ? *listed : SpaceList();
  }

  std::map<std::string, json> documents;
  std::vector<std::string> asked;
};

TEST_F(SpacesViewTest, SpacesOfAllPagesAreShownWithTheirTicks) {
  const SpaceList all = list({});
  ASSERT_THAT(all.rows, SizeIs(3));
  EXPECT_THAT(all.notes, IsEmpty());
  const std::string text = render_spaces(all, {}, {});
  EXPECT_THAT(text, HasSubstr("service  a.spaces-1, 4 requests waiting\n"));
  EXPECT_THAT(text, HasSubstr("a.w1       1         0         87  -"));
  EXPECT_THAT(text, HasSubstr("b.w2       2         0          -  draining"));
  EXPECT_THAT(text,
              HasSubstr("cave-1  ready  a.w1  7/300       3    4.6 ms  16 ms    1.2 ms       2"));
  EXPECT_THAT(text, HasSubstr("town-2  ready  b.w2  0/300       -"))
      << "its node has not begun it yet";
  EXPECT_THAT(text, HasSubstr("3 spaces\n"));
  const auto out = json_of_spaces(all);
  EXPECT_EQ(out["spaces"][1]["at_node"]["others"], 9);
  EXPECT_EQ(out["spaces"][1]["taken"], 5);
  EXPECT_EQ(out["summary"]["waiters"], 4);
  EXPECT_FALSE(out["summary"].contains("spaces"));
}

TEST_F(SpacesViewTest, APrefixANodeAndABoundChoose) {
  for (const char* prefix : {"town", "space/town"}) {
    EXPECT_THAT(list({.prefix = prefix}).rows, SizeIs(2)) << prefix;
  }
  const SpaceList one = list({.prefix = "town", .limit = 1});
  EXPECT_THAT(one.rows, SizeIs(1));
  EXPECT_EQ(one.left_out, 1U);
  EXPECT_THAT(render_spaces(one, {.prefix = "town", .limit = 1}, {}),
              HasSubstr("2 spaces that begin with town, of which 1 are not shown\n"));
  asked.clear();
  EXPECT_THAT(list({.node = "a.w1"}).rows, SizeIs(1));
  EXPECT_THAT(asked, Not(Contains("b.w2/spaces"))) << "only nodes whose spaces are shown are asked";
}

TEST_F(SpacesViewTest, ANodeThatDoesNotAnswerIsNoted) {
  documents.erase("b.w2/spaces");
  const SpaceList all = list({});
  ASSERT_THAT(all.rows, SizeIs(3));
  EXPECT_THAT(all.notes, ElementsAre(HasSubstr("b.w2: ")));
  EXPECT_THAT(render_spaces(all, {}, {}), HasSubstr("note: b.w2: "));
}

TEST_F(SpacesViewTest, AServiceThatHasLeftIsAnError) {
  documents["a.spaces-1/spaces?after="] = {{"here", false}};
  EXPECT_EQ(list_spaces(kService, look(), {}).error(), bus::Errc::no_handler);
  documents.erase("a.spaces-1/spaces?after=");
  EXPECT_EQ(list_spaces(kService, look(), {}).error(), bus::Errc::deadline);
  const NodeLook endless = [](const std::string&, const std::string&) -> bus::Result<json> {
    return page(json::array({row("town-1", "", 0)}), true);
  };
  EXPECT_EQ(list_spaces(kService, endless, {}).error(), bus::Errc::bad_bytes);
}

TEST_F(SpacesViewTest, WhatNodesSayIsShownWithCare) {
  documents["a.spaces-1/spaces?after="] =
      page(json::array({row("town-1\x1b[2J", "b.w2", 5)}), false);
  EXPECT_THAT(render_spaces(list({}), {}, {}), HasSubstr("town-1\\x1b[2J"));
  for (const json& odd : {json({{"here", true}, {"spaces", 7}, {"nodes", "x"}}),
                          json({{"here", true}, {"spaces", {1, "x", nullptr}}, {"nodes", {1}}}),
                          json({{"here", true}, {"spaces", {{{"space", 7}, {"node", {}}}}}})}) {
    documents["a.spaces-1/spaces?after="] = odd;
    EXPECT_THAT(render_spaces(list({}), {}, {}), HasSubstr("service  a.spaces-1"));
  }
  documents["a.spaces-1/spaces?after="] = page(json::array({row("town-1", "b.w2", 5)}), false);
  for (const json& odd : {json("x"), json({{"spaces", {1, {{"space", "town-1"}, {"tick", 7}}}}})}) {
    documents["b.w2/spaces"] = odd;
    EXPECT_THAT(render_spaces(list({}), {}, {}), HasSubstr("town-1  ready"));
  }
}

TEST(SpacesCommand, SaysWhatIsWrong) {
  EXPECT_EQ(run({"spaces", "--limit", "x"}, "unix:///nowhere").code, 64);
  const Ran ran = run({"spaces", "--busd", "ipc:///nowhere/busd.sock", "--timeout", "100ms"},
                      "unix:///nowhere");
  EXPECT_EQ(ran.code, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("is busd of this host up?"));
}

}  // namespace
}  // namespace starbus::bustop::test
