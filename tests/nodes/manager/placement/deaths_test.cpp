/// Deaths of hosts: who is suspected, who pauses, who is in quarantine, and who is not.
#include "tests/nodes/manager/placement/placement_fixture.hpp"

namespace starbus::nodes::manager::test {
namespace {

class DeathsTest : public PlacementStateTest {};

TEST_F(DeathsTest, RepeatedHostDeathsPauseThenQuarantine) {
  state.want({{"chat", 1, false, 1}});
  std::uint64_t epoch = 0;
  std::vector<std::chrono::milliseconds> pauses;
  for (int deaths = 0; deaths < static_cast<int>(kSoleDeaths); ++deaths) {
    hosts({member("a", ++epoch)});
    answer(due().at(0));
    const auto asked = now;
    Calls orders = due();
    while (orders.empty() || orders[0].actions.empty()) {
      if (!orders.empty()) answer(orders[0]);
      now += 100ms;
      ASSERT_LT(now - asked, 2min);
      orders = due();
    }
    pauses.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(now - asked));
    claim(kChat1, "a");  // and the process is gone before it answers
    hosts({});
    die("a");
    EXPECT_TRUE(due().empty());
  }
  EXPECT_THAT(pauses, ::testing::ElementsAre(0ms, 0ms, 12'000ms, 24'000ms));
  hosts({member("b", ++epoch)});
  answer(due().at(0));
  now += 1h;
  EXPECT_TRUE(due().at(0).actions.empty());
  ASSERT_EQ(state.waiting().size(), 1u);
  EXPECT_EQ(state.waiting()[0].reason, "quarantine: 1 of them");
  const Setbacks::Record& record = state.setbacks().records().at(kChat1);
  EXPECT_TRUE(record.quarantined);
  EXPECT_EQ(record.host, "a");
  EXPECT_TRUE(state.setbacks().release(kChat1));
  EXPECT_FALSE(state.setbacks().release(kChat1));
  state.unanswered("b", state.hosts().at("b").serial, now);
  now += 100ms;
  answer(due().at(0));
  EXPECT_EQ(due().at(0).actions.size(), 1u);
}

TEST_F(DeathsTest, AHostThatDrainsOrComesBackHasNotDied) {
  state.want({{"chat", 1, false, 1}});
  const auto place = [this] {
    answer(due().at(0));
    EXPECT_EQ(due().at(0).actions.size(), 1u);
    claim(kChat1, "a");
    hosts({});
  };
  hosts({member("a", 1)});
  place();
  hosts({member("a", 1, false)});  // before what it has said arrives
  EXPECT_TRUE(due().empty());
  state.leaving(member("a", 1).owner);
  gone.insert(member("a", 1).owner);
  EXPECT_TRUE(due().empty());
  EXPECT_TRUE(state.setbacks().records().empty());

  claims.clear();
  hosts({member("a", 2)});
  place();
  bus::WatchRow again = member("a", 3);
  again.owner = member("a", 2).owner;  // the same process, which was not ready for a while
  hosts({again});
  gone.insert(again.owner);
  static_cast<void>(due());
  EXPECT_TRUE(state.setbacks().records().empty());
}

TEST_F(DeathsTest, WhatHadNotBegunOrIsOldIsNotSuspected) {
  hosts({member("a", 1)});
  answer(due().at(0));
  ASSERT_EQ(due().at(0).actions.size(), 2u);
  claim(kChat1, "a");  // chat/2 waits for its claim: nothing of it has run
  hosts({});
  die("a");
  static_cast<void>(due());
  EXPECT_EQ(state.setbacks().records().size(), 1u);
  EXPECT_EQ(state.setbacks().records().at(kChat1).sole, 1u);

  hosts({member("b", 2)});
  answer(due().at(0));
  ASSERT_EQ(due().at(0).actions.size(), 2u);
  const std::uint64_t serial = state.hosts().at("b").serial;
  const auto serving = [](const InstanceId& id) {
    return InstanceRow{id, InstanceState::serving, 7, {}};
  };
  state.answered("b", serial, report({serving(kChat1), serving(kChat2)}), now);
  EXPECT_EQ(state.setbacks().records().size(), 1u);
  now += kYouth;
  state.answered("b", serial, report({serving(kChat1), serving(kChat2)}), now);
  EXPECT_TRUE(state.setbacks().records().empty()) << "it has grown old";
  die("b");
  static_cast<void>(due());
  EXPECT_TRUE(state.setbacks().records().empty());
}

/// Three hosts that are started again at once, eight instances, one of which kills its host as soon
/// as it runs: in the end that one is in quarantine, and nobody else has been.
TEST_F(DeathsTest, NeighboursOfAKillerAreNotQuarantined) {
  constexpr std::uint32_t kCount = 8;
  state.want({{"chat", kCount, false, 1}});
  state.claims_changed({{}, true});
  const InstanceId killer{"chat", 5, 0};
  std::map<std::string, std::vector<InstanceRow>> there = {{"a", {}}, {"b", {}}, {"c", {}}};
  std::uint64_t epoch = 0;
  int deaths = 0;
  for (const auto& [process, rows] : there) hosts({member(process, ++epoch)});
  const auto kill = [&](const std::string& process) {
    ++deaths;
    there[process].clear();
    die(process);
    hosts({member(process, ++epoch)});
  };
  const auto end = now + 10min;
  while (now < end) {
    now += 100ms;
    for (const auto& call : due()) {
      bool killed = false;
      for (const Action& action : call.actions) {
        if (action.kind != Action::Kind::place) continue;
        there[call.process].push_back({action.id, InstanceState::serving, 1, {}});
        claim(action.id, call.process);
        killed = killed || action.id == killer;
      }
      hosts({});
      killed ? kill(call.process) : answer(call, there[call.process]);
    }
  }
  // The first two have had other suspects: those that were placed anew with it.
  EXPECT_EQ(deaths, static_cast<int>(kSoleDeaths) + 2);
  EXPECT_EQ(state.setbacks().records().size(), 1u);
  EXPECT_TRUE(state.setbacks().records().at(killer).quarantined);
  std::set<InstanceId> serving;
  for (const auto& [process, rows] : there) {
    for (const InstanceRow& row : rows) serving.insert(row.id);
  }
  EXPECT_EQ(serving.size(), kCount - 1);
}

}  // namespace
}  // namespace starbus::nodes::manager::test
