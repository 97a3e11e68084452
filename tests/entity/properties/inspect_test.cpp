/// Observers in the process, and operators' view.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/entity/properties/world.hpp"
#include "tests/thrown_log.hpp"

namespace starbus::entity::test {
namespace {

TEST(Observers, GetTheOldValueAndTheNew) {
  Hero hero;
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  const auto id = hero.observe(
      hero.gold, [&](std::int64_t old, std::int64_t now) { seen.emplace_back(old, now); });
  ASSERT_TRUE(id.has_value());
  hero.gold = 5;
  hero.gold = 5;
  hero.hidden = 3;
  hero.unobserve(*id);
  hero.gold = 6;
  EXPECT_EQ(seen, (std::vector<std::pair<std::int64_t, std::int64_t>>{{100, 5}}));
}

TEST(Observers, OfAPathGetAllThatIsBelow) {
  Hero hero;
  ASSERT_TRUE(hero.items.insert(1).has_value());
  ASSERT_TRUE(hero.items.insert(2).has_value());
  std::vector<std::string> seen;
  const auto note = [&](const Change& change) {
    seen.push_back(change.path + " " + std::string(name_of(change.operation)));
  };
  ASSERT_TRUE(hero.observe("items", note).has_value());
  std::size_t of_second = 0;
  ASSERT_TRUE(hero.observe("items[2]", [&](const Change&) { ++of_second; }).has_value());
  hero.items.edit(1)->count = 3;
  hero.items.edit(2)->count = 3;
  ASSERT_TRUE(hero.items.edit(2)->gems.insert("a\"b").has_value());
  hero.items.edit(2)->gems.edit("a\"b")->power = 1;
  ASSERT_TRUE(hero.items.erase(1).has_value());
  hero.gold = 1;
  EXPECT_EQ(seen, (std::vector<std::string>{
                      "items[1].count set", "items[2].count set", "items[2].gems bag_insert",
                      "items[2].gems[\"a\\\"b\"].power set", "items bag_erase"}));
  EXPECT_EQ(of_second, 3u);
  EXPECT_EQ(hero.observe("nothing", note).error(), DataErrc::unknown_path);
  EXPECT_EQ(hero.observe("items[9].count", note).error(), DataErrc::unknown_path);
}

TEST(Observers, MayWriteAndLeaveWhileTheyAreCalled) {
  Hero hero;
  std::vector<int> seen;
  ObserverId second = 0;
  ASSERT_TRUE(hero.observe(hero.mood,
                           [&](int, int now) {
                             seen.push_back(now);
                             if (now < 3) hero.mood = now + 1;
                             hero.unobserve(second);
                           })
                  .has_value());
  second = *hero.observe(hero.mood, [&](int, int) { seen.push_back(-1); });
  hero.mood = 1;
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(hero.mood, 3);
}

TEST(Observers, WithAGuardTheOthersAreToldAndTheWriteStands) {
  Hero hero;
  starbus::test::ThrownLog thrown;
  int seen = 0;
  ASSERT_TRUE(hero.observe(hero.mood, [](int, int) { throw std::runtime_error("a bug"); }));
  ASSERT_TRUE(hero.observe(hero.mood, [&](int, int now) { seen = now; }));
  hero.mood = 2;
  EXPECT_EQ(hero.mood, 2);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(thrown.lines, std::vector<std::string>{"listener: a bug"});
}

TEST(Observers, MayEraseTheItemThatIsBeingInserted) {
  Hero hero;
  ASSERT_TRUE(hero.observe("items",
                           [&](const Change& change) {
                             if (change.operation != Operation::bag_insert) return;
                             EXPECT_TRUE(hero.items.erase(5).has_value());
                           })
                  .has_value());
  EXPECT_EQ(hero.items.insert(5).error(), DataErrc::no_such_key) << "no pointer to what has gone";
  EXPECT_TRUE(hero.items.empty());
}

TEST(Observers, ThatAnswerEachOtherForEverAreStopped) {
  Hero hero;
  std::size_t told = 0;
  ASSERT_TRUE(hero.observe(hero.mood,
                           [&](int, int now) {
                             ++told;
                             hero.hidden = now;
                           })
                  .has_value());
  ASSERT_TRUE(hero.observe(hero.hidden, [&](int, int now) { hero.mood = now + 1; }).has_value());
  hero.mood = 1;
  EXPECT_LE(told, kMaxCascade);
  EXPECT_EQ(hero.untold(), 1u);
  hero.mood = 0;  // works again
  EXPECT_GT(told, kMaxCascade / 2);
  Hero full;
  for (std::size_t i = 0; i < kMaxObservers; ++i) {
    ASSERT_TRUE(full.observe(full.mood, [](int, int) {}).has_value());
  }
  EXPECT_EQ(full.observe(full.mood, [](int, int) {}).error(), DataErrc::too_large);
}

TEST(Observers, OfAReplicaAreCalledAfterTheWholeDelta) {
  Hero real;
  Hero copy;
  real.watch(Audience::own_client);
  copy.become_replica(Audience::own_client);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::own_client, bytes).has_value());
  ASSERT_TRUE(copy.apply_snapshot(bytes).has_value());
  std::string seen;
  ASSERT_TRUE(copy.observe("gold",
                           [&](const Change& change) {
                             seen = std::to_string(*change.old<std::int64_t>()) + " " +
                                    std::to_string(copy.gold.get()) + " " + copy.nick.get();
                           })
                  .has_value());
  real.gold = 1;
  real.nick = "after";
  ASSERT_TRUE(real.flush([&](Audience, ByteView delta) {
                    EXPECT_TRUE(copy.apply_delta(delta).has_value());
                  })
                  .has_value());
  EXPECT_EQ(seen, "100 1 after");
}

TEST(Inspect, ShowsAndSetsOnePath) {
  Hero hero;
  hero.watch(Audience::own_client);
  ASSERT_TRUE(hero.set("gold", 7).has_value());
  ASSERT_TRUE(hero.set("stats.strength", 9).has_value());
  ASSERT_TRUE(hero.set("stats", {{"focus", 2}}).has_value());
  ASSERT_TRUE(hero.set("home", {{"x", 1.5}, {"y", 2}}).has_value());
  ASSERT_TRUE(hero.set("marks", {1, 2, 3}).has_value());
  ASSERT_TRUE(hero.set("marks[1]", 5).has_value());
  ASSERT_TRUE(hero.set("prices", {{"a", 1}}).has_value());
  ASSERT_TRUE(hero.set("prices[\"sword\"]", 6).has_value());
  ASSERT_TRUE(hero.set("items[1001]", {{"kind", 3}}).has_value());
  ASSERT_TRUE(hero.set("items[1001].count", 4).has_value());
  ASSERT_TRUE(hero.set("items[1001].gems[\"g\"]", {{"power", 2}}).has_value());
  EXPECT_EQ(*hero.get("gold"), 7);
  EXPECT_EQ(*hero.get("stats.focus"), 2);
  EXPECT_EQ(*hero.get("home"), (nlohmann::json{{"x", 1.5}, {"y", 2.0}}));
  EXPECT_EQ(*hero.get("marks[1]"), 5);
  EXPECT_EQ(*hero.get("prices[\"sword\"]"), 6);
  EXPECT_EQ(*hero.get("items[1001].gems[\"g\"].power"), 2);
  EXPECT_EQ(hero.get("items[1001]")->at("count"), 4);
  EXPECT_NE(hero.seal(), 0);
  ASSERT_TRUE(hero.set("items[1001]", nullptr).has_value());
  EXPECT_TRUE(hero.items.empty());
}

TEST(Inspect, RefusesInvalidPathsAndValues) {
  Hero hero;
  const std::string before = hero.to_json().dump();
  for (const char* path : {"", ".", "gold.", "gold.x", "nothing", "marks[", "marks[x]", "marks[0]",
                           "marks[\"a\"]", "items[1].count", "stats[1]", "stats.", "items[1", "a]",
                           "prices[\"a", "items[1]x", "items[99999999999999999999]"}) {
    EXPECT_EQ(hero.get(path).error(), DataErrc::unknown_path) << path;
    EXPECT_FALSE(hero.set(path, 1).has_value()) << path;
  }
  EXPECT_EQ(hero.set("gold", "x").error(), DataErrc::bad_json);
  EXPECT_EQ(hero.set("gold", 1.5).error(), DataErrc::bad_json);
  EXPECT_EQ(hero.set("mood", 3'000'000'000).error(), DataErrc::bad_json);
  EXPECT_EQ(hero.set("home", {{"x", "a"}}).error(), DataErrc::bad_json);
  EXPECT_EQ(hero.set("marks", {1, "x"}).error(), DataErrc::bad_json);
  EXPECT_EQ(hero.set("prices", {{"a", "x"}}).error(), DataErrc::bad_json);
  EXPECT_EQ(hero.set("stats", {{"focus", 9}, {"strength", "x"}}).error(), DataErrc::bad_json);
  EXPECT_EQ(hero.set("stats", {{"focus", 9}, {"zeal", 1}}).error(), DataErrc::unknown_path);
  EXPECT_EQ(hero.set("items", nlohmann::json::object()).error(), DataErrc::bad_json);
  EXPECT_EQ(hero.to_json().dump(), before);
}

}  // namespace
}  // namespace starbus::entity::test
