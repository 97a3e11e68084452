// How the links of a home share the way to a gate.
#include "entity/client/home_lines.hpp"

#include <memory>

#include "tests/entity/client/fixture.hpp"

namespace starbus::entity::sessions {
namespace {

using namespace fixture;

class LinesTest : public ::testing::Test, public Carrier {
 protected:
  bool carry(const GateId& to, const bus::Bytes& bundle, std::uint64_t ticket) override {
    if (full_) return false;
    auto sections = decode_bundle(bundle);
    EXPECT_TRUE(sections);
    said_.push_back({to.channel, std::move(*sections)});
    tickets_.push_back(ticket);
    return true;
  }
  bus::Bytes properties(ClientLink&) override { return {}; }
  void news_due(ClientLink& link) override { due_.push_back(&link); }
  LinkTime now() const override { return now_; }

  ClientLink& make(std::uint64_t number) {
    Effects effects;
    auto& link =
        *links_.emplace_back(std::make_unique<ClientLink>("player/" + std::to_string(number)));
    link.owned(5, effects);
    const SetLink set{{number, 1}, kGate1, 1, {3, number}, 1, "account/a", {1, 1}, {}};
    link.take(set, {}, LinkTime(0), effects);
    lines_.want(link);
    return link;
  }

  HomeLines lines_;
  std::vector<std::unique_ptr<ClientLink>> links_;
  std::vector<std::pair<std::string, std::vector<Section>>> said_;
  std::vector<std::uint64_t> tickets_;
  std::vector<ClientLink*> due_;
  LinkTime now_{0};
  bool full_ = false;
};

TEST_F(LinesTest, PartsOfManySessionsShareAMessage) {
  Effects effects;
  const Body body = bytes_of("to all");
  for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(make(i).call(body, effects));
  EXPECT_FALSE(lines_.flush(*this));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_EQ(said_[0].first, "gate/one");
  ASSERT_EQ(said_[0].second.size(), 3U);
  EXPECT_EQ(said_[0].second[2].parts.size(), 2U);
  EXPECT_NE(said_[0].second[0].handle, said_[0].second[1].handle);
  EXPECT_FALSE(lines_.waits());
}

TEST_F(LinesTest, ARefusedBundleChangesNothing) {
  ClientLink& link = make(1);
  full_ = true;
  EXPECT_TRUE(lines_.flush(*this));
  EXPECT_EQ(link.state().next, 1U);
  EXPECT_TRUE(link.full_due());
  full_ = false;
  EXPECT_TRUE(lines_.flush(*this));  // it waits for room
  EXPECT_TRUE(said_.empty());
  lines_.room(kGate1.process);
  EXPECT_FALSE(lines_.flush(*this));
  EXPECT_EQ(link.state().next, 2U);
  EXPECT_EQ(lines_.counters().refused, 1U);
}

TEST_F(LinesTest, FewFullStatesAreUnderWayAtOnce) {
  for (std::uint64_t i = 1; i <= 2 * kFullsAtOnce + 1; ++i) make(i);
  EXPECT_TRUE(lines_.flush(*this));
  EXPECT_EQ(lines_.counters().fulls, kFullsAtOnce);
  // Others are not kept waiting by them.
  Effects effects;
  ASSERT_TRUE(links_[0]->call(bytes_of("x"), effects));
  lines_.want(*links_[0]);
  EXPECT_TRUE(lines_.flush(*this));
  EXPECT_EQ(links_[0]->state().next, 3U);
  while (!tickets_.empty()) {
    lines_.handled(tickets_.back());
    tickets_.pop_back();
    lines_.flush(*this);
  }
  EXPECT_EQ(lines_.counters().fulls, 2 * kFullsAtOnce + 1);
  EXPECT_FALSE(lines_.waits());
}

TEST_F(LinesTest, ALinkThatChangesItsGateGoesToTheNewOne) {
  ClientLink& link = make(1);
  lines_.flush(*this);
  Effects effects;
  ASSERT_TRUE(link.call(bytes_of("x"), effects));
  lines_.want(link);
  SetLink other{{9, 9}, kGate2, 1, {3, 9}, 2, "account/a", {1, 1}, {}};
  link.take(other, {}, LinkTime(0), effects);
  lines_.want(link);
  lines_.flush(*this);
  EXPECT_EQ(said_.back().first, "gate/two");
  lines_.forget(link);
  EXPECT_FALSE(lines_.waits());
}

TEST_F(LinesTest, ALargeBacklogOfOneSessionDoesNotKeepOthersWaiting) {
  ClientLink& greedy = make(1);
  ClientLink& modest = make(2);
  lines_.flush(*this);
  said_.clear();
  Effects effects;
  const Body large = std::make_shared<const bus::Bytes>(kSectionBytes);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(greedy.call(large, effects));
  ASSERT_TRUE(modest.call(bytes_of("x"), effects));
  lines_.want(greedy);
  lines_.want(modest);
  EXPECT_FALSE(lines_.flush(*this));
  EXPECT_EQ(said_.at(0).second.at(1).parts.size(), 1U);
  EXPECT_EQ(greedy.state().next, 12U);
  EXPECT_EQ(modest.state().next, 3U);
}

TEST_F(LinesTest, AnUpdateThatIsTooOldGetsNoNumber) {
  ClientLink& link = make(1);
  lines_.flush(*this);
  Effects effects;
  ASSERT_TRUE(link.droppable(1, {LinkTime(500), 0}, bytes_of("old"), now_, effects));
  ASSERT_TRUE(link.droppable(2, {kNeverOld, 0}, bytes_of("stays"), now_, effects));
  full_ = true;
  lines_.want(link);
  lines_.flush(*this);  // the bus has no room
  EXPECT_EQ(link.droppables().size(), 2U);
  full_ = false;
  now_ += LinkTime(500);
  lines_.room(kGate1.process);
  lines_.flush(*this);
  ASSERT_EQ(said_.back().second[0].parts.size(), 1U);
  EXPECT_EQ(*said_.back().second[0].parts[0].body, *bytes_of("stays"));
  EXPECT_EQ(link.droppables().counters(), (DropCounters{1, 0, 1, 0}));
}

TEST_F(LinesTest, PropertiesAreAskedForWhenTheUpdatesHadTheirTurn) {
  ClientLink& link = make(1);
  lines_.flush(*this);
  Effects effects;
  ASSERT_TRUE(link.droppable(1, {}, bytes_of("here"), now_, effects));
  link.news(bytes_of("ahead"), effects);
  EXPECT_FALSE(link.wants_news());
  link.note_news(true);
  lines_.want(link);
  lines_.flush(*this);
  EXPECT_EQ(due_.size(), 1U);
  EXPECT_TRUE(link.wants_news());
}

}  // namespace
}  // namespace starbus::entity::sessions
