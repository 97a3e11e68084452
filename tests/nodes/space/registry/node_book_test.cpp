#include "nodes/space/registry/node_book.hpp"

#include <gtest/gtest.h>

#include "tests/nodes/space/registry/registry_fixture.hpp"

namespace starbus::nodes::space {
namespace {

class NodeBookTest : public ::testing::Test {
 protected:
  void announce(const std::string& node, double busy, std::vector<std::string> labels = {},
                bool draining = false) {
    (void)book_.came(node);
    Announcement news;
    news.busy_ms_per_s = busy;
    news.types = {"town"};
    news.labels = std::move(labels);
    news.draining = draining;
    book_.announced(node, news, now_);
  }
  std::optional<std::string> choose(const SpaceType& type = town()) {
    return book_.choose(type, {}, now_);
  }
  std::string begin(std::uint64_t life) {
    const auto node = choose();
    if (node) book_.begins(*node, {1, life}, town().weight);
    return node.value_or("none");
  }

  Time now_ = 1h;
  NodeBook book_;
};

TEST_F(NodeBookTest, TheLeastLoadedOfThoseThatFitIsChosen) {
  EXPECT_EQ(choose(), std::nullopt);
  announce("a.1", 300);
  announce("b.1", 100);
  announce("c.1", 0, {}, true);
  EXPECT_EQ(choose(), "b.1");
  SpaceType picky = town();
  picky.labels = {"big"};
  EXPECT_EQ(choose(picky), std::nullopt);
  announce("a.1", 300, {"big", "ssd"});
  EXPECT_EQ(choose(picky), "a.1");
  picky.name = "arena";
  EXPECT_EQ(choose(picky), std::nullopt);
  EXPECT_EQ(book_.choose(town(), {"b.1"}, now_), "a.1");
}

TEST_F(NodeBookTest, PendingWeightSpreadsWhatIsCreatedAtOnce) {
  for (const char* const node : {"a.1", "b.1", "c.1"}) announce(node, 5);
  EXPECT_EQ(begin(1), "a.1");  // no report comes in between
  EXPECT_EQ(begin(2), "b.1");
  EXPECT_EQ(begin(3), "c.1");
  EXPECT_EQ(begin(4), "a.1");
  book_.started("a.1", {1, 1}, now_);
  book_.started("a.1", {1, 4}, now_);
  announce("a.1", 5);
  EXPECT_EQ(choose(), "b.1");  // the report cannot show them yet
  now_ += kSettle;
  announce("a.1", 5);
  announce("b.1", 5);
  announce("c.1", 5);
  EXPECT_EQ(choose(), "a.1");  // b and c have spaces that still start
  book_.ended("b.1", {1, 2});
  EXPECT_EQ(choose(), "b.1");  // equal loads: the one with fewer spaces
}

TEST_F(NodeBookTest, AFullNodeOpensAgainWhenItIsWellBelow) {
  announce("a.1", kNodeFull);
  EXPECT_EQ(choose(), std::nullopt);
  announce("a.1", 600);  // smoothed: 700
  EXPECT_EQ(choose(), std::nullopt);
  announce("a.1", 600);  // 650
  EXPECT_EQ(choose(), std::nullopt);
  announce("a.1", 600);  // 625
  EXPECT_EQ(choose(), "a.1");
  SpaceType heavy = town();
  heavy.weight = 200;  // would fill it
  EXPECT_EQ(choose(heavy), std::nullopt);
}

TEST_F(NodeBookTest, ASilentNodeIsNotChosen) {
  announce("a.1", 0);
  now_ += kNodeSilent;
  EXPECT_EQ(choose(), "a.1");
  now_ += 1ms;
  EXPECT_EQ(choose(), std::nullopt);
  announce("a.1", 0);
  EXPECT_EQ(choose(), "a.1");
  book_.left("a.1");
  EXPECT_EQ(choose(), std::nullopt);
}

}  // namespace
}  // namespace starbus::nodes::space
