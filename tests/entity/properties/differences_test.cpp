/// Observers of a replica hear what a snapshot has brought.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "nick set snapshot": path, operation, cause.
std::string line_of(const Change& change) {
  std::string line = change.path;
  line.append(" ").append(name_of(change.operation)).append(" ").append(name_of(change.cause));
  return line;
}

class SnapshotDifferences : public testing::Test {
 protected:
  SnapshotDifferences() {
    real_.watch(Audience::own_client);
    copy_.become_replica(Audience::own_client);
    for (const FieldInfo& field : copy_.schema().fields()) {
      EXPECT_TRUE(copy_.observe(field.name, [this](const Change& change) {
        lines_.push_back(line_of(change));
        changes_.push_back(change);
      }));
    }
  }
  void snapshot() {
    Bytes bytes;
    ASSERT_TRUE(real_.encode_snapshot(View::own_client, bytes).has_value());
    ASSERT_TRUE(copy_.apply_snapshot(bytes).has_value());
  }
  void forget() {
    lines_.clear();
    changes_.clear();
  }

  Hero real_;
  Hero copy_;
  std::vector<std::string> lines_;
  std::vector<Change> changes_;
};

TEST_F(SnapshotDifferences, AreToldFieldByFieldInTheOrderOfTheSchema) {
  snapshot();
  EXPECT_THAT(lines_, IsEmpty()) << "all has its default";
  real_.stats->focus = 9;
  (void)real_.prices.put("sword", 3);
  real_.nick = "ada";
  real_.gold = 7;
  (void)real_.marks.push_back(4);
  snapshot();
  EXPECT_THAT(lines_,
              ElementsAre("gold set snapshot", "nick set snapshot", "stats.focus set snapshot",
                          "marks set snapshot", "prices set snapshot"));
  ASSERT_EQ(changes_.size(), 5U);
  ASSERT_NE(changes_[0].old<std::int64_t>(), nullptr);
  EXPECT_EQ(*changes_[0].old<std::int64_t>(), 100);
  ASSERT_NE(changes_[3].old<std::vector<int>>(), nullptr);
  EXPECT_THAT(*changes_[3].old<std::vector<int>>(), IsEmpty());
  forget();
  snapshot();
  EXPECT_THAT(lines_, IsEmpty()) << "nothing is different";
}

TEST_F(SnapshotDifferences, OfABagAreItemsThatLeftMovedCameAndChanged) {
  for (const std::int64_t key : {1, 2, 3}) ASSERT_TRUE(real_.items.insert(key).has_value());
  ASSERT_TRUE(real_.items.at(2).gems.insert("ruby").has_value());
  snapshot();
  forget();
  ASSERT_TRUE(real_.items.erase(1).has_value());
  ASSERT_TRUE(real_.items.move(3, 0).has_value());
  real_.items.at(2).count = 6;
  real_.items.at(2).gems.at("ruby").flaw = 8;
  ASSERT_TRUE(real_.items.insert(9).has_value());
  snapshot();
  EXPECT_THAT(lines_, ElementsAre("items bag_erase snapshot", "items[2].count set snapshot",
                                  "items[2].gems[\"ruby\"].flaw set snapshot",
                                  "items bag_move snapshot", "items bag_insert snapshot"));
  ASSERT_EQ(changes_.size(), 5U);
  EXPECT_NE(changes_[0].old<Item>(), nullptr);
  ASSERT_NE(changes_[3].old<std::uint32_t>(), nullptr);
  EXPECT_EQ(*changes_[3].old<std::uint32_t>(), 2U);
}

TEST_F(SnapshotDifferences, SayWhyTheyCame) {
  real_.gold = 1;
  snapshot();
  EXPECT_THAT(lines_, ElementsAre("gold set first"));
  forget();
  real_.gold = 2;
  snapshot();
  EXPECT_THAT(lines_, ElementsAre("gold set snapshot"));
  forget();
  real_.begin_anew();
  real_.gold = 3;
  snapshot();
  EXPECT_THAT(lines_, ElementsAre("gold set new_life"));
  forget();
  real_.gold = 4;
  real_.seal();
  Bytes bytes;
  ASSERT_TRUE(real_.encode_delta(Audience::own_client, copy_.version(Audience::own_client), bytes)
                  .has_value());
  ASSERT_TRUE(copy_.apply_delta(bytes).has_value());
  EXPECT_THAT(lines_, ElementsAre("gold set delta"));
  forget();
  copy_.become_real();
  copy_.gold = 5;
  EXPECT_THAT(lines_, ElementsAre("gold set write"));
}

TEST_F(SnapshotDifferences, OfARefusedSnapshotAreNone) {
  real_.gold = 1;
  Bytes bytes;
  ASSERT_TRUE(real_.encode_snapshot(View::own_client, bytes).has_value());
  bytes.pop_back();
  EXPECT_FALSE(copy_.apply_snapshot(bytes).has_value());
  EXPECT_THAT(lines_, IsEmpty());
}

// The items of the bag are other objects after a snapshot.
TEST_F(SnapshotDifferences, ReachTypedObserversOfAnItemThatWasReplaced) {
  ASSERT_TRUE(real_.items.insert(1).has_value());
  snapshot();
  std::vector<std::pair<int, int>> told;
  ASSERT_TRUE(copy_.observe(copy_.items.at(1).count,
                            [&](int old, int now) { told.emplace_back(old, now); }));
  real_.items.at(1).count = 3;
  snapshot();
  EXPECT_THAT(told, ElementsAre(std::pair(0, 3)));
  real_.items.at(1).count = 4;
  snapshot();
  EXPECT_THAT(told, ElementsAre(std::pair(0, 3), std::pair(3, 4)));
}

// Whatever comes as a delta, as a snapshot, or is lost: a field is told exactly if it is different.
RC_GTEST_PROP(SnapshotDifferencesProperty, EachFieldThatDiffersIsToldOnceASnapshotCame, ()) {
  Hero real;
  Hero copy;
  real.watch(Audience::own_client);
  copy.become_replica(Audience::own_client);
  std::set<std::string> told;
  for (const FieldInfo& field : copy.schema().fields()) {
    RC_ASSERT(
        copy.observe(field.name, [&told, name = field.name](const Change&) { told.insert(name); })
            .has_value());
  }
  const auto rounds = *rc::gen::inRange(1, 12);
  for (int round = 0; round < rounds; ++round) {
    const auto steps = *rc::gen::inRange(0, 8);
    for (int i = 0; i < steps; ++i) {
      perform(real, Step{*rc::gen::inRange(0U, kHeroSteps), *rc::gen::inRange(0, 9),
                         *rc::gen::inRange(0, 4), *rc::gen::inRange(0, 9)});
    }
    if (*rc::gen::inRange(0, 4) == 0) continue;  // nobody tells it
    const nlohmann::json before = copy.to_json();
    told.clear();
    Bytes bytes;
    RC_ASSERT(real.encode_snapshot(View::own_client, bytes).has_value());
    RC_ASSERT(copy.apply_snapshot(bytes).has_value());
    const nlohmann::json now = copy.to_json();
    for (const FieldInfo& field : copy.schema().fields()) {
      RC_ASSERT(told.contains(field.name) == (before[field.name] != now[field.name]));
    }
  }
}

}  // namespace
}  // namespace starbus::entity::test
