// Messages to many while some of the receivers stand still.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <optional>

#include "bus/client/parts/bus_parts.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

const Bytes kLarge(4'000, std::byte{'x'});
constexpr std::size_t kMoreThanAWindow = 2 * kChannelWindow / 4'000;  // messages of kLarge

class GroupsTest : public LoopTest {
 protected:
  GroupsTest() : cluster(loop, {.hosts = {"a", "b", "c"}}) {}

  /// A process whose loop runs only in `until_all`: between these calls it stands still.
  Bus& add_still(const std::string& host, const std::string& node) {
    stills.push_back(std::make_unique<Bus>(still, cluster.node(host, node)));
    return *stills.back();
  }
  Bus& add_member(const std::string& host, const std::string& node) {
    members.push_back(std::make_unique<Bus>(loop, cluster.node(host, node)));
    return *members.back();
  }
  Task until_all(std::function<bool()> condition) {
    const bool held = co_await until([&] {
      still.restart();
      still.poll();
      return condition();
    });
    EXPECT_TRUE(held);
  }
  /// Connects and binds.
  Task settle(Bus& bus, std::string name) {
    int done = 0;
    bus.connect([&](const Result<>& result) { done += result.has_value(); });
    const Handlers handlers{.on_message = [this](Message& m) {
      ++heard[std::string(m.channel())];
      latest_trace = m.trace();
    }};
    bus.bind(name, handlers, [&](const Result<Bound>& result) { done += result.has_value(); });
    co_await until_all([&] { return done == 2; });
  }
  /// Waits until the speaker's watch shows so many members.
  Task know(Bus& speaker, std::string group, std::size_t count) {
    std::size_t known = 0;
    auto watch = speaker.watch(group + "#", [&](const WatchUpdate& update) {
      for (const WatchRow& row : update.changes) row.present ? ++known : --known;
    });
    EXPECT_TRUE(watch);
    co_await until_all([&] { return known == count; });
  }
  static Result<> announce_large(Bus& speaker, WhenFull when_full = WhenFull::skip) {
    SendOptions options;
    options.when_full = when_full;
    return speaker.announce("group/gates", kLarge, options);
  }
  /// Fills the windows of the members that stand still; the others hear everything.
  Task fill(Bus& speaker, const std::vector<std::string>& healthy) {
    for (std::size_t sent = 0; sent < kMoreThanAWindow; ++sent) {
      CO_OK(announce_large(speaker));
      ++announced;
      if (sent % 64 != 0) continue;
      EXPECT_TRUE(co_await until([&] {
        return std::ranges::all_of(healthy,
                                   [&](const auto& name) { return heard[name] == announced; });
      }));
    }
  }

  boost::asio::io_context still;
  testing::Cluster cluster;
  std::vector<std::unique_ptr<Bus>> members;
  std::vector<std::unique_ptr<Bus>> stills;
  std::map<std::string, int> heard;
  Trace latest_trace{};
  int announced = 0;
  const std::vector<std::string> quick = {"group/gates#a.quick"};
};

TEST_F(GroupsTest, FourOf64MembersThatStandStillStopNoOther) {
  run(
      [this]() -> Task {
        std::vector<std::string> healthy;
        std::set<std::string> stopped;
        for (int i = 0; i < 64; ++i) {
          const std::string host = i % 2 == 0 ? "a" : "b";
          const std::string node = "gate-" + std::to_string(i);
          const bool stands = i >= 60;
          co_await settle(stands ? add_still(host, node) : add_member(host, node), "group/gates");
          const std::string name = "group/gates#" + host + "." + node;
          stands ? void(stopped.insert(name)) : healthy.push_back(name);
        }
        std::set<std::string> left_out;
        Bus speaker(loop, cluster.node("c", "speaker"));
        CO_OK(co_await speaker.connect(use_awaitable));
        co_await know(speaker, "group/gates", 64);
        speaker.on_undelivered([&](const Undelivered& lost) {
          left_out.insert(lost.name);
          EXPECT_EQ(lost.reason, Errc::would_block);
        });
        co_await fill(speaker, healthy);
        EXPECT_TRUE(co_await until([&] {
          return std::ranges::all_of(healthy,
                                     [&](const auto& name) { return heard[name] == announced; });
        }));
        EXPECT_EQ(left_out, stopped);
        speaker.on_undelivered({});  // what is unacknowledged at its end is no matter here
      },
      60s);
}

TEST_F(GroupsTest, WaitRefusesForAllAndItsRoomIsThatOfEveryMember) {
  run([this]() -> Task {
    co_await settle(add_member("a", "quick"), "group/gates");
    co_await settle(add_still("b", "slow"), "group/gates");
    Bus speaker(loop, cluster.node("c", "speaker"));
    CO_OK(co_await speaker.connect(use_awaitable));
    co_await know(speaker, "group/gates", 2);
    co_await fill(speaker, quick);
    const Result<> refused = announce_large(speaker, WhenFull::wait);
    EXPECT_EQ(refused.error(), Errc::would_block);
    EXPECT_NE(refused.error().detail.find("group/gates#b.slow"), std::string::npos);
    CO_OK(co_await speaker.room("group/gates", Lane::call, use_awaitable));  // of one member
    SendOptions options;
    options.when_full = WhenFull::wait;
    bool room = false;
    speaker.room("group/gates", options,
                 [&](const Result<>& result) { room = result.has_value(); });
    EXPECT_FALSE(co_await until(100ms, [&] { return room; }));
    EXPECT_EQ(heard["group/gates#a.quick"], announced);
    co_await until_all([&] { return room; });
    CO_OK(announce_large(speaker, WhenFull::wait));
  });
}

TEST_F(GroupsTest, AnAwaitedAnnouncementTellsTheEndAtEachMember) {
  run([this]() -> Task {
    co_await settle(add_member("a", "quick"), "group/gates");
    co_await settle(add_still("b", "slow"), "group/gates");
    Bus speaker(loop, cluster.node("c", "speaker"));
    CO_OK(co_await speaker.connect(use_awaitable));
    const std::string group = "group/none";
    const auto to_none = co_await speaker.announce_acknowledged(group, {}, {}, use_awaitable);
    CO_OK(to_none);
    EXPECT_EQ(to_none->handled, 0U);
    co_await know(speaker, "group/gates", 2);
    co_await fill(speaker, quick);
    const auto told =
        co_await speaker.announce_acknowledged("group/gates", kLarge, {}, use_awaitable);
    CO_OK(told);
    EXPECT_EQ(told->handled, 1U);
    EXPECT_EQ(told->failed.size(), 1U);
    for (const GroupOutcome::Failure& failure : told->failed) {
      EXPECT_EQ(failure.name, "group/gates#b.slow");
      EXPECT_EQ(failure.reason, Errc::would_block);
    }
    SendOptions own;
    own.from = channel_id("entity/7");
    const auto denied = co_await speaker.announce_acknowledged(group, {}, own, use_awaitable);
    EXPECT_EQ(denied.error(), Errc::denied);
  });
}

TEST_F(GroupsTest, DropGivesUpAMemberThatStaysFullUntilItBindsAgain) {
  run([this]() -> Task {
    co_await settle(add_member("a", "quick"), "group/gates");
    Bus& slow = add_still("b", "slow");
    co_await settle(slow, "group/gates");
    std::vector<std::string> told;
    Bus speaker(loop, cluster.node("c", "speaker"));
    CO_OK(co_await speaker.connect(use_awaitable));
    co_await know(speaker, "group/gates", 2);
    co_await fill(speaker, quick);
    CO_OK(co_await speaker.room("group/gates", Lane::call, use_awaitable));
    speaker.on_undelivered([&](const Undelivered& lost) { told.push_back(lost.reason.detail); });
    const std::string left_out = "group/gates#b.slow: its window is full, it was left out";
    const std::string given_up = "group/gates#b.slow: given up until it binds again";
    CO_OK(announce_large(speaker, WhenFull::drop));
    EXPECT_FALSE(co_await until(kGiveUpAfter + 50ms, [] { return false; }));
    EXPECT_THAT(told, ElementsAre(left_out));
    CO_OK(announce_large(speaker, WhenFull::drop));
    EXPECT_TRUE(co_await until([&] { return told.size() == 3; }));
    EXPECT_THAT(told, ElementsAre(left_out, left_out, given_up));
    CO_OK(announce_large(speaker, WhenFull::drop));
    // It goes on and has room, and still gets nothing.
    const int before = announced;
    co_await until_all([&] { return speaker.counters().unacknowledged_bytes == 0; });
    EXPECT_LT(heard["group/gates#b.slow"], before);
    const int had = heard["group/gates#b.slow"];
    CO_OK(announce_large(speaker, WhenFull::wait));
    co_await until_all([&] { return heard["group/gates#a.quick"] == announced + 4; });
    EXPECT_EQ(heard["group/gates#b.slow"], had);
    bool unbound = false;
    slow.unbind("group/gates", [&](const Result<>& result) { unbound = result.has_value(); });
    co_await until_all([&] { return unbound; });
    co_await settle(slow, "group/gates");
    co_await until_all([&] {
      EXPECT_TRUE(announce_large(speaker, WhenFull::drop));
      return heard["group/gates#b.slow"] > had;
    });
  });
}

TEST_F(GroupsTest, AMulticastToNamesReportsTheEndOfEachAndCarriesItsTrace) {
  run([this]() -> Task {
    co_await settle(add_member("a", "one"), "entity/1");
    co_await settle(add_member("b", "two"), "entity/2");
    std::vector<std::string> lost;
    Bus speaker(loop, cluster.node("c", "speaker"));
    CO_OK(co_await speaker.connect(use_awaitable));
    SendOptions options;
    options.trace.trace_id[0] = std::byte{7};
    options.trace.span_id[3] = std::byte{9};
    const std::vector<std::string> names = {"entity/1", "entity/2", "entity/none"};
    const auto told =
        co_await speaker.multicast_acknowledged(names, kLarge, options, use_awaitable);
    CO_OK(told);
    EXPECT_EQ(told->handled, 2U);
    EXPECT_EQ(told->failed.size(), 1U);
    for (const GroupOutcome::Failure& failure : told->failed) {
      EXPECT_EQ(failure.name, "entity/none");
      EXPECT_EQ(failure.reason, Errc::no_owner);
    }
    EXPECT_EQ(latest_trace.trace_id, options.trace.trace_id);
    EXPECT_EQ(latest_trace.span_id, options.trace.span_id);
    speaker.on_undelivered([&](const Undelivered& undelivered) {
      lost.push_back(undelivered.name);
      EXPECT_EQ(undelivered.reason, Errc::no_owner);
    });
    CO_OK(speaker.multicast(names, kLarge));
    CO_OK(co_await speaker.flush(5s, use_awaitable));
    EXPECT_TRUE(co_await until([&] { return !lost.empty(); }));
    EXPECT_THAT(lost, ElementsAre("entity/none"));
    EXPECT_EQ(heard["entity/1"], 2);
    EXPECT_EQ(heard["entity/2"], 2);
    const std::vector<std::string> sets = {"group/gates"};
    EXPECT_EQ(speaker.multicast(sets, kLarge).error(), Errc::bad_name);
  });
}

TEST_F(GroupsTest, RoomOfASharedNameIsThatOfTheInstanceWhichTheKeyPicks) {
  run([this]() -> Task {
    co_await settle(add_member("a", "quick"), "service/chat");
    co_await settle(add_still("b", "slow"), "service/chat");
    const auto core = BusCore::make(loop, cluster.node("c", "sender"));
    bool connected = false;
    core->connect([&](const Result<>& result) { connected = result.has_value(); });
    EXPECT_TRUE(co_await until([&] { return connected; }));
    auto watch = core->watch("service/chat#", [](const WatchUpdate&) {}, {});
    CO_OK(watch);
    const auto pick = [&](std::uint64_t key) {
      const auto instance = core->parts().shared.choose("service/chat", key, Lane::call);
      return instance ? instance->name.text() : std::string();
    };
    EXPECT_TRUE(co_await until([&] { return !pick(1).empty(); }));
    SendOptions to_quick, to_slow;
    for (std::uint64_t key = 1; key < 64; ++key) {
      (pick(key) == "service/chat#1" ? to_quick : to_slow).hash_key = key;
    }
    Result<> last;
    while ((last = core->send("service/chat", kLarge, to_slow))) {
    }
    EXPECT_EQ(last.error(), Errc::would_block);
    bool room = false, other_room = false;
    core->room("service/chat", to_slow, [&](const Result<>& result) { room = result.has_value(); });
    core->room("service/chat", to_quick,
               [&](const Result<>& result) { other_room = result.has_value(); });
    EXPECT_TRUE(co_await until([&] { return other_room; }));
    EXPECT_FALSE(co_await until(100ms, [&] { return room; }));
    co_await until_all([&] { return room; });
    CO_OK(core->send("service/chat", kLarge, to_slow));
    core->shut({Errc::closed});
  });
}

TEST_F(GroupsTest, FiveThousandGroupsOneAfterTheOtherAreAnnouncedTo) {
  run(
      [this]() -> Task {
        Bus speaker(loop, cluster.node("c", "speaker"));
        CO_OK(co_await speaker.connect(use_awaitable));
        auto held = speaker.watch("player/", [](const WatchUpdate&) {});
        CO_OK(held);
        for (int i = 0; i < 5'000; ++i) {
          const std::string group = "group/" + std::to_string(i);
          CO_OK(co_await speaker.announce_acknowledged(group, {}, {}, use_awaitable));
        }
        co_await settle(add_member("a", "late"), "group/0");
        CO_OK(co_await speaker.announce_acknowledged("group/0", {}, {}, use_awaitable));
        EXPECT_EQ(heard["group/0#a.late"], 1);
      },
      60s);
}

TEST_F(GroupsTest, AnUnusedWatchIsGivenUpAndAHeldOneIsNot) {
  run([this]() -> Task {
    const auto core = BusCore::make(loop, cluster.node("c", "speaker"));
    BusParts& parts = core->parts();
    int complete = 0;
    core->connect([&](const Result<>&) { ++complete; });
    EXPECT_TRUE(co_await until([&] { return complete == 1; }));
    auto held = core->watch("group/held#", [](const WatchUpdate&) {}, {});
    CO_OK(held);
    const auto announce = [&](const std::string& group) {
      core->announce_acknowledged(group, {}, {}, [&](const Result<GroupOutcome>&) { ++complete; });
    };
    for (const char* group : {"group/held", "group/left", "group/used"}) announce(group);
    EXPECT_TRUE(co_await until([&] { return complete == 4; }));
    const Time later = io::boot_now() + kWatchIdle;
    parts.watchers.tick(later - 2s);
    EXPECT_NE(parts.process.rows("group/left#"), nullptr);
    announce("group/used");
    parts.watchers.tick(later);
    EXPECT_EQ(parts.process.rows("group/left#"), nullptr);
    EXPECT_NE(parts.process.rows("group/used#"), nullptr);
    EXPECT_NE(parts.process.rows("group/held#"), nullptr);
    announce("group/left");
    EXPECT_TRUE(co_await until([&] { return complete == 6; }));
    core->shut({Errc::closed});
  });
}

TEST_F(GroupsTest, InstancesAreRankedAgainOnlyWhenTheyChange) {
  run([this]() -> Task {
    for (const char* node : {"one", "two", "three"}) {
      co_await settle(add_member("a", node), "service/chat");
    }
    const auto core = BusCore::make(loop, cluster.node("c", "sender"));
    int done = 0;
    core->connect([&](const Result<>& result) { done += result.has_value(); });
    EXPECT_TRUE(co_await until([&] { return done == 1; }));
    for (int i = 0; i < 100; ++i) {
      core->send_acknowledged("service/chat", kLarge, {},
                              [&](const Result<>& result) { done += result.has_value(); });
      EXPECT_TRUE(co_await until([&] { return done == i + 2; }));
    }
    EXPECT_EQ(core->parts().shared.weighed(), 3U);
    core->shut({Errc::closed});
  });
}

TEST_F(GroupsTest, ManyStartersOfOneServiceCollideSeldom) {
  run([this]() -> Task {
    constexpr std::size_t kStarters = 48;
    std::vector<std::shared_ptr<BusCore>> cores;
    std::size_t done = 0;
    for (std::size_t i = 0; i < kStarters; ++i) {
      const std::string host = i % 2 == 0 ? "a" : "b";
      cores.push_back(BusCore::make(loop, cluster.node(host, "node-" + std::to_string(i))));
      cores.back()->connect([&](const Result<>& result) { done += result.has_value(); });
    }
    EXPECT_TRUE(co_await until([&] { return done == kStarters; }));
    std::set<std::string> names;
    for (const auto& core : cores) {
      core->bind("service/chat", {}, [&](const Result<Bound>& bound) {
        if (bound) names.insert(bound->name);
      });
    }
    EXPECT_TRUE(co_await until([&] { return names.size() == kStarters; }));
    std::uint64_t collisions = 0;
    for (const auto& core : cores) collisions += core->parts().names.collisions();
    EXPECT_LT(collisions, kStarters * 8);  // each at each number: 1128
    for (const auto& core : cores) core->shut({Errc::closed});
  });
}

}  // namespace
}  // namespace starbus::bus
