#include "nodes/manager/node_table.hpp"

#include <gmock/gmock.h>

#include "nodes/manager/limits.hpp"

namespace starbus::nodes::manager {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bus::WatchRow row(const std::string& name, const std::string& owner, std::uint64_t incarnation) {
  bus::WatchRow made;
  made.name = name;
  made.owner = {1, 2, incarnation};
  made.owner_name = owner;
  return made;
}
bus::WatchRow gone(const std::string& name) {
  bus::WatchRow made;
  made.present = false;
  made.name = name;
  return made;
}

class TableTest : public ::testing::Test, protected NodeTable::Listener {
 protected:
  TableTest() { table.listen(*this); }
  void on_node_added(const KnownNode& node) override { told.push_back("came " + node.process); }
  void on_node_changed(const KnownNode& node) override {
    told.push_back("changed " + node.process + (node.ready ? " ready" : "") + " " + node.role);
  }
  void on_node_removed(const KnownNode& node) override { told.push_back("left " + node.process); }
  std::vector<std::string> news() { return std::exchange(told, {}); }
  void presence(bus::WatchRow change) { table.presence({{std::move(change)}, true}); }
  void readiness(bus::WatchRow change) { table.readiness({{std::move(change)}, true}); }

  NodeTable table;
  std::vector<std::string> told;
};

TEST_F(TableTest, ANodeComesBecomesReadyDrainsAndLeaves) {
  presence(row("node/a.x", "a.x", 1));
  EXPECT_FALSE(table.complete());
  readiness(row("ready/chat/a.x", "a.x", 1));
  EXPECT_TRUE(table.complete());
  readiness(gone("ready/chat/a.x"));
  presence(gone("node/a.x"));
  EXPECT_THAT(news(),
              ElementsAre("came a.x", "changed a.x ready chat", "changed a.x chat", "left a.x"));
  EXPECT_THAT(table.nodes(), IsEmpty());
}

TEST_F(TableTest, InWhateverOrderTheTwoWatchesShowIt) {
  readiness(row("ready/chat/a.x", "a.x", 1));
  presence(row("node/a.x", "a.x", 1));
  presence(gone("node/a.x"));
  EXPECT_THAT(news(), ElementsAre("came a.x")) << "it is ready as far as the other one shows";
  readiness(gone("ready/chat/a.x"));
  EXPECT_THAT(news(), ElementsAre("left a.x"));
}

TEST_F(TableTest, AnotherProcessOfThatNameIsAnotherNode) {
  presence(row("node/a.x", "a.x", 1));
  readiness(row("ready/chat/a.x", "a.x", 1));
  (void)news();
  presence(row("node/a.x", "a.x", 2));
  EXPECT_THAT(news(), ElementsAre("left a.x", "came a.x"));
  EXPECT_FALSE(table.find("a.x")->ready);
  readiness(gone("ready/chat/a.x"));  // of the former one
  EXPECT_THAT(news(), IsEmpty());
  table.role_known("a.x", "chat");
  EXPECT_THAT(news(), ElementsAre("changed a.x chat"));
  table.role_known("a.x", "chat");
  table.role_known("a.y", "chat");
  EXPECT_THAT(news(), IsEmpty());
}

TEST_F(TableTest, NobodyIsThereInTheNameOfAnother) {
  presence(row("node/a.x", "a.y", 1));
  presence(row("node/", "a.y", 1));
  readiness(row("ready/chat/a.x", "a.y", 1));
  readiness(gone("ready/chat/a.x"));
  presence(gone("node/a.x"));
  EXPECT_THAT(news(), IsEmpty());
}

TEST_F(TableTest, BeyondTheLimitNodesAreLeftOutAndCounted) {
  for (std::size_t i = 0; i < kMaxNodes; ++i) {
    const std::string process = "a." + std::to_string(i);
    presence(row("node/" + process, process, 1));
  }
  presence(row("node/a.x", "a.x", 1));
  EXPECT_EQ(table.nodes().size(), kMaxNodes);
  EXPECT_EQ(table.left_out(), 1u);
  EXPECT_EQ(table.find("a.x"), nullptr);
  presence(gone("node/a.x"));
  EXPECT_EQ(table.left_out(), 0u);
  presence(gone("node/a.7"));
  presence(row("node/a.x", "a.x", 1));
  EXPECT_NE(table.find("a.x"), nullptr);
}

TEST_F(TableTest, WhoWasLeftOutIsTakenInWhenThereIsRoom) {
  for (std::size_t i = 0; i < kMaxNodes; ++i) {
    const std::string process = "a." + std::to_string(i);
    presence(row("node/" + process, process, 1));
  }
  (void)news();
  readiness(row("ready/chat/b.x", "b.x", 1));
  presence(row("node/b.x", "b.x", 1));
  presence(row("node/b.y", "b.y", 1));
  presence(row("node/b.y", "b.y", 2));  // was restarted
  presence(row("node/b.z", "b.z", 1));
  presence(gone("node/b.z"));
  EXPECT_EQ(table.left_out(), 2u);
  EXPECT_THAT(news(), IsEmpty()) << "who waits is not seen";
  presence(gone("node/a.7"));
  EXPECT_THAT(news(), ElementsAre("left a.7", "came b.x"));
  EXPECT_TRUE(table.find("b.x")->ready);
  EXPECT_TRUE(table.find("b.x")->on_bus);
  presence(gone("node/a.8"));
  presence(gone("node/a.9"));
  EXPECT_THAT(news(), ElementsAre("left a.8", "came b.y", "left a.9"));
  EXPECT_EQ(table.left_out(), 0u);
  EXPECT_EQ(table.find("b.y")->owner.incarnation, 2u);
}

TEST_F(TableTest, WhoListensLaterIsToldWhoIsThere) {
  presence(row("node/a.x", "a.x", 1));
  (void)news();
  table.listen(*this);
  EXPECT_THAT(news(), ElementsAre("came a.x"));
}

}  // namespace
}  // namespace starbus::nodes::manager
