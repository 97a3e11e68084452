/// Whom the manager calls when, and what it makes of answers that come, fail, or are late.
#include "nodes/manager/placement/placement_state.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "nodes/manager/placement/placement_settings.hpp"
#include "tests/nodes/manager/placement/placement_fixture.hpp"

namespace starbus::nodes::manager::test {
namespace {

TEST_F(PlacementStateTest, PlansNothingBeforeAllHostsHaveReported) {
  EXPECT_TRUE(due().empty());
  hosts({member("a", 1), member("b", 2)});
  const Calls first = due();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_TRUE(first[0].actions.empty());
  EXPECT_TRUE(due().empty()) << "one call at a time";
  answer(first[0]);
  EXPECT_TRUE(due().empty());
  answer(first[1], {{kChat2, InstanceState::serving, 5, {}}});
  const Calls orders = due();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].process, "a");
  EXPECT_EQ(orders[0].actions, (std::vector<Action>{{Action::Kind::place, kChat1}}));
  EXPECT_TRUE(due().empty()) << "what is under way counts as done";
  answer(orders[0], {{kChat1, InstanceState::claiming, 0, {}}});
  now += kHostSoon;
  EXPECT_EQ(due().size(), 1u) << "it is on its way: asked again soon";
}

TEST_F(PlacementStateTest, SilentHostBlocksNothingAndKeepsClaims) {
  claim(kChat1, "b");
  hosts({member("a", 1), member("b", 2)});
  for (const auto& call : due()) {
    if (call.process == "a") answer(call);
  }
  EXPECT_TRUE(due().empty());
  now += kFirstAnswer;
  const Calls orders = due();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].actions, (std::vector<Action>{{Action::Kind::place, kChat2}}));
}

TEST_F(PlacementStateTest, AnOrderThatIsNotAnsweredIsGivenToAnother) {
  hosts({member("a", 1)});
  answer(due()[0]);
  const Calls lost = due();
  ASSERT_EQ(lost[0].actions.size(), 2u);
  hosts({member("b", 2)});
  answer(due()[0]);  // b has nothing
  EXPECT_TRUE(due().empty()) << "a may be doing it";
  state.unanswered("a", lost[0].serial, now);
  const Calls orders = due();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].process, "b");
  EXPECT_EQ(orders[0].actions.size(), 2u);
  now += kHostSoon;
  EXPECT_EQ(due()[0].process, "a") << "asked again";
}

TEST_F(PlacementStateTest, AnswersOfAnEarlierLifeAreIgnored) {
  hosts({member("a", 1)});
  const Calls first = due();
  hosts({member("a", 7)});  // it was restarted
  answer(first[0], {{kChat1, InstanceState::serving, 1, {}}});
  EXPECT_FALSE(state.hosts().at("a").answered);
  state.unanswered("a", first[0].serial, now);
  state.answered("z", 1, report(), now);
  hosts({member("a", 7, false)});
  EXPECT_TRUE(state.hosts().empty());
  bus::WatchRow forged = member("x", 9);
  forged.owner_name = "y";
  hosts({forged});
  EXPECT_TRUE(state.hosts().empty()) << "nobody hosts in the name of another";
}

TEST_F(PlacementStateTest, WhatFailedIsNotTriedThereForAWhile) {
  state.want({{"chat", 1, false, 1}});
  hosts({member("a", 1)});
  answer(due()[0], {{kChat1, InstanceState::failed, 0, {}}});
  const Calls orders = due();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].actions, (std::vector<Action>{{Action::Kind::withdraw, kChat1}}));
  answer(orders[0]);
  EXPECT_TRUE(due().empty());
  EXPECT_EQ(state.waiting().size(), 1u);
  now += kAvoid;
  const Calls again = due();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].actions, (std::vector<Action>{{Action::Kind::place, kChat1}}));
}

TEST_F(PlacementStateTest, HostsAreBounded) {
  std::vector<bus::WatchRow> rows;
  for (std::size_t i = 0; i < kMaxServiceHosts + 1; ++i) {
    rows.push_back(member("h" + std::to_string(i), i + 1));
  }
  hosts(rows);
  EXPECT_EQ(state.hosts().size(), kMaxServiceHosts);
  EXPECT_EQ(state.left_out(), 1u);
  hosts({member("h3", 4, false)});
  EXPECT_EQ(state.hosts().size(), kMaxServiceHosts);
  EXPECT_EQ(state.left_out(), 0u) << "it is taken in when there is room";
  EXPECT_TRUE(state.hosts().contains("h" + std::to_string(kMaxServiceHosts)));
}

/// Hosts that do as they are told or not, lose answers and die: when that has an end, and an
/// operator has released what killed too many, each instance is in one place once its pause is
/// over.
RC_GTEST_PROP(PlacementStateModel, ConvergesWhateverIsLost, ()) {
  PlacementState state([](const std::string&, const bus::Process&) { return false; });
  const auto count = *rc::gen::inRange(1u, 6u);
  state.want({{"chat", count, *rc::gen::arbitrary<bool>(), 1}});
  state.claims_changed({{}, true});
  PlacementState::Time now = 10s;
  std::map<std::string, std::vector<InstanceRow>> hosts;
  std::map<std::string, std::uint64_t> lives;
  std::uint64_t epoch = 0;
  const auto restart = [&](const std::string& process) {
    hosts[process].clear();
    state.hosts_changed({{member(process, ++epoch)}, true}, now);
  };
  const auto run = [&](const PlacementState::Call& call) {
    auto& rows = hosts[call.process];
    for (const Action& action : call.actions) {
      std::erase_if(rows, [&](const InstanceRow& row) { return row.id == action.id; });
      if (action.kind == Action::Kind::place) {
        rows.push_back({action.id, InstanceState::serving, 0, {}});
      }
    }
  };
  const auto turn = [&](bool honest) {
    for (const auto& call : state.due(now)) {
      const int fate = honest ? 0 : *rc::gen::inRange(0, 4);
      if (fate != 3) run(call);
      if (fate >= 2) {
        state.unanswered(call.process, call.serial, now);
      } else {
        state.answered(call.process, call.serial, report(hosts[call.process]), now);
      }
    }
    now += honest ? 1s : 100ms;
  };
  const int steps = *rc::gen::inRange(1, 40);
  restart("a");
  for (int i = 0; i < steps; ++i) {
    const int what = *rc::gen::inRange(0, 8);
    if (what == 0) restart(*rc::gen::elementOf(std::vector<std::string>{"a", "b", "c"}));
    if (what == 1) state.start_afresh(now);
    turn(false);
  }
  turn(true);  // the latest deaths are judged
  std::vector<InstanceId> quarantined;
  for (const auto& [id, record] : state.setbacks().records()) {
    now = std::max(now, record.until);
    if (record.quarantined) quarantined.push_back(id);
  }
  for (const InstanceId& id : quarantined) RC_ASSERT(state.setbacks().release(id));
  // On one host suspects are placed one behind the other's youth.
  const auto honest = 20 + count * static_cast<std::uint64_t>(kYouth / 1s);
  for (std::uint64_t i = 0; i < honest; ++i) turn(true);
  std::map<InstanceId, int> places;
  for (const auto& [process, rows] : hosts) {
    for (const InstanceRow& row : rows) ++places[row.id];
  }
  RC_ASSERT(places.size() == count);
  for (const auto& [id, number] : places) RC_ASSERT(number == 1);
}

TEST(PlacementSettings, AreReadStrictly) {
  const auto read = [](std::string_view text) {
    auto reader = daemon::ConfigReader::parse(text, "manager.toml").value();
    auto wanted = read_wanted_types(reader);
    const auto finished = reader.finish();
    return std::pair(std::move(wanted), finished ? "" : finished.error().detail);
  };
  const auto [wanted, problem] = read(
      "[services]\nhosts = 2\n[[service]]\ntype = 'chat'\ninstances = 2\nlabels = ['big']\n"
      "[[service]]\ntype = 'rank'\npartitions = 16\nhosts = 3\n");
  EXPECT_EQ(problem, "");
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_EQ(wanted[0], (WantedType{"chat", 2, false, 2, {"big"}}));
  EXPECT_EQ(wanted[1], (WantedType{"rank", 16, true, 3, {}}));
  for (const char* const text :
       {"[[service]]\n", "[[service]]\ntype = 'a-b'\n",
        "[[service]]\ntype = 'a'\ninstances = 4097\n",
        "[[service]]\ntype = 'a'\ninstances = 1\npartitions = 1\n",
        "[[service]]\ntype = 'a'\n[[service]]\ntype = 'a'\n", "[services]\nhosts = -1\n",
        "[[service]]\ntype = 'a'\nlabels = ['a b']\n", "[[service]]\ntype = 'a'\ncount = 1\n"}) {
    EXPECT_NE(read(text).second, "") << text;
  }
}

}  // namespace
}  // namespace starbus::nodes::manager::test
