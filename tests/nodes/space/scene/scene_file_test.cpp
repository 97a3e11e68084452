#include "nodes/space/scene/scene_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "nodes/space/scene/limits.hpp"

namespace starbus::nodes::space {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<SceneData> scene_of(const std::string& text) {
  auto reader = daemon::ConfigReader::parse(text, "forest.toml");
  if (!reader) return reader.error();
  SceneData scene = read_scene(*reader);
  if (const auto read = reader->finish(); !read) return read.error();
  return scene;
}
std::string scene_problem(const std::string& text) {
  const auto scene = scene_of(text);
  return scene ? "none" : scene.error().detail;
}

TEST(SceneFile, EachKeyIsRead) {
  const auto scene = scene_of(R"([[spawn]]
id = 6
kind = "bear"
at = [5, 5]
[[spawn]]
id = 5
kind = "wolf"
at = [10, 20.5, 1]
spread = 4
count = 3
first = "2s"
respawn = "30s"
[[trap]]
id = 1
at = [0, 0]
radius = 2.5
targets = "all"
once = true
[[portal]]
id = 1
at = [90, 90]
radius = 2
to = "dungeon"
key = "deep"
arrive = [1, 2]
[[quest]]
id = 1
type = "wait"
after = "2s"
next = 2
[[quest]]
id = 2
type = "kill_all"
monsters = [5, 6]
within = "1m"
otherwise = 3
next = 4
[[quest]]
id = 3
type = "fill_all"
traps = [1]
next = 1
[[quest]]
id = 4
type = "event_one"
events = ["bell"]
next = 5
[[quest]]
id = 5
type = "final"
)");
  ASSERT_TRUE(scene) << scene.error().detail;
  ASSERT_EQ(scene->spawns.size(), 2U);
  const SpawnRow& wolf = scene->spawns[0];  // by id
  EXPECT_EQ(wolf.id, 5U);
  EXPECT_EQ(wolf.kind, "wolf");
  EXPECT_EQ(wolf.at, (aoi::Position{10, 20.5, 1}));
  EXPECT_EQ(wolf.spread, 4);
  EXPECT_EQ(wolf.count, 3U);
  EXPECT_EQ(wolf.first, 2s);
  EXPECT_EQ(wolf.respawn, 30s);
  EXPECT_EQ(scene->spawns[1].count, 1U);
  EXPECT_EQ(scene->spawns[1].respawn, std::nullopt);
  EXPECT_EQ(scene->traps.at(0).radius, 2.5);
  EXPECT_EQ(scene->traps.at(0).targets, TrapTargets::all);
  EXPECT_TRUE(scene->traps.at(0).once);
  EXPECT_EQ(scene->portals.at(0).to, (PlaceId{"dungeon", "deep"}));
  EXPECT_EQ(scene->portals.at(0).arrive, (aoi::Position{1, 2, 0}));
  ASSERT_EQ(scene->quests.size(), 5U);
  EXPECT_EQ(scene->quests[0].after, 2s);
  EXPECT_THAT(scene->quests[1].monsters, ElementsAre(5U, 6U));
  EXPECT_EQ(scene->quests[1].within, 1min);
  EXPECT_EQ(scene->quests[1].otherwise, 3U);
  EXPECT_EQ(scene->quests[2].kind, QuestKind::fill_all);
  EXPECT_THAT(scene->quests[3].events, ElementsAre("bell"));
  EXPECT_EQ(scene->quests[4].kind, QuestKind::final_one);
}

TEST(SceneFile, AnEmptyOneIsAScene) {
  EXPECT_TRUE(scene_of(""));
}

TEST(SceneFile, MistakesAreNamedWithTheirLine) {
  EXPECT_EQ(scene_problem("[[quest]]\nid = 1\ntype = \"kill_all\"\nmonsters = [5]\nnext = 2\n"),
            "forest.toml:4:12: 'monsters': there is no [[spawn]] with id = 5\n"
            "forest.toml:5:8: 'next': there is no [[quest]] with id = 2");
  EXPECT_THAT(scene_problem("[[quest]]\nid = 1\ntype = \"kil_all\"\n"),
              HasSubstr("forest.toml:3:8: 'type': 'kil_all' is none of wait, kill_all"));
  EXPECT_THAT(scene_problem("[[trap]]\nid = 1\nat = [0, 0]\nradios = 3\n"),
              HasSubstr("forest.toml:4:1: unknown key 'radios'; did you mean 'radius'?"));
}

TEST(SceneFile, EachBoundIsNamedWithItsKey) {
  const std::string spawn = "[[spawn]]\nid = 1\nkind = \"wolf\"\nat = [0, 0]\n";
  const std::string portal = "[[portal]]\nid = 1\nat = [0, 0]\n";
  const std::string quest = "[[quest]]\nid = 1\n";
  const std::string ends = quest + "type = \"final\"\n[[quest]]\nid = 2\nnext = 1\n";
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"[[spawn]]\nkind = \"wolf\"\nat = [0, 0]\n", "'id': missing"},
      {"[[spawn]]\nid = 1\nat = [0, 0]\n", "kind"},
      {"[[spawn]]\nid = 1\nat = [0, 0]\nkind = \"" + std::string(65, 'k') + "\"\n",
       "'kind': at most"},
      {"[[spawn]]\nid = 1\nkind = \"wolf\"\n", "'at': write [x, y]"},
      {"[[spawn]]\nid = 1\nkind = \"wolf\"\nat = [0]\n", "'at': write [x, y]"},
      {spawn + "count = 1001\n", "count"},
      {spawn + "spread = 1001\n", "spread"},
      {spawn + "respawn = \"1ms\"\n", "respawn"},
      {spawn + "first = \"25h\"\n", "first"},
      {spawn + spawn, "'id': 1 is there twice"},
      {"[[trap]]\nid = 1\nat = [0, 0]\nradius = 0\n", "radius"},
      {"[[trap]]\nid = 1\nat = [0, 0]\ntargets = \"none\"\n", "targets"},
      {portal, "to"},
      {portal + "to = \"A Town\"\n", "'to': "},
      {portal + "to = \"town\"\nkey = \"a b\"\n", "'key': "},
      {quest + "type = \"wait\"\n", "'after': missing"},
      {quest + "type = \"wait\"\nafter = \"1ms\"\n", "after"},
      {quest + "type = \"kill_all\"\n", "'monsters': missing"},
      {quest + "type = \"kill_all\"\nmonsters = []\n", "'monsters': 1 to"},
      {quest + "type = \"kill_all\"\nmonsters = [\"a\"]\n", "'monsters': list the ids"},
      {quest + "type = \"trap_all\"\ntraps = [1, 1]\n", "'traps': 1 is there twice"},
      {quest + "type = \"event_one\"\n", "'events': 1 to"},
      {quest + "type = \"event_one\"\nevents = [\"\"]\n", "'events': names of"},
      {ends + "type = \"event_one\"\nevents = [\"a\"]\notherwise = 1\n",
       "'otherwise': only together"},
      {ends + "type = \"event_one\"\nevents = [\"a\"]\nmonsters = [1]\n", "unknown key 'monsters'"},
  };
  for (const auto& [text, problem] : wrong) {
    EXPECT_THAT(scene_problem(text), HasSubstr(problem)) << text;
  }
}

TEST(SceneFile, RowsAreBounded) {
  std::string text;
  for (std::size_t i = 1; i <= kMaxSceneRows + 1; ++i) {
    text += "[[trap]]\nid = " + std::to_string(i) + "\nat = [0, 0]\n";
  }
  EXPECT_THAT(scene_problem(text), HasSubstr("more than 4096 of [[trap]]"));
}

TEST(SceneFile, EntitiesOfAllRowsAreBounded) {
  std::string text;
  for (int i = 1; i <= 11; ++i) {
    text += "[[spawn]]\nid = " + std::to_string(i) + "\nkind = \"a\"\nat = [0, 0]\ncount = 1000\n";
  }
  EXPECT_THAT(scene_problem(text), HasSubstr("11000 entities; at most 10000"));
}

}  // namespace
}  // namespace starbus::nodes::space
