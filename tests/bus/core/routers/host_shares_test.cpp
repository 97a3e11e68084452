/// One hostile user with many sessions, who may do all that its role has, against the other users
/// of its host: they keep their sessions and their names, and are served.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

constexpr std::uint32_t kHostile = 1'001;
constexpr std::uint32_t kHonest = 1'002;

class HostAttack : public HostRouterTest {
 protected:
  using HostRouterTest::HostRouterTest;

  std::vector<Peer*> hostile_sessions(int count) {
    std::vector<Peer*> peers;
    for (int i = 0; i < count; ++i) {
      const std::string name = "evil-" + std::to_string(i);
      peers.push_back(&join(name, {.pid = 666,
                                   .rows = {row(name + "/x", static_cast<std::uint64_t>(100 + i))},
                                   .uid = kHostile}));
    }
    return peers;
  }
  static Ack ack(const Process& origin, const ChannelId& channel) {
    return {Lane::call, origin, channel, Epoch::of(1, 1), 1};
  }
  static std::size_t alive(RouterHarness& harness, const std::vector<Peer*>& peers) {
    std::size_t count = 0;
    for (const Peer* peer : peers) count += !harness.closed(*peer);
    return count;
  }
};

/// Each says ACK for its own channel to an origin that never sent anything.
TEST_F(HostAttack, FalseAcknowledgementsEndNoSession) {
  Peer& busroot = root();
  Peer& victim = join("victim", {.uid = kHonest});
  Peer& honest = join("honest", {.rows = {row("m/mine")}, .uid = kHonest});
  const auto hostile = hostile_sessions(6);
  busroot.stop();
  victim.stop();
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < hostile.size(); ++i) {
      const ChannelId own = channel_id("evil-" + std::to_string(i) + "/x");
      for (int n = 0; n < 1'000; ++n) {
        hostile[i]->say(ack(remote("r"), own));
        hostile[i]->say(ack(local("victim"), own));
      }
    }
    harness.run();
  }
  honest.say(ack(remote("r"), channel_id("m/mine")));
  honest.say(ack(local("victim"), channel_id("m/mine")));
  harness.run();
  busroot.stop(false);
  victim.stop(false);
  harness.run();
  EXPECT_FALSE(harness.closed(busroot));
  EXPECT_FALSE(harness.closed(victim));
  for (Peer* peer : {&busroot, &victim}) {
    bool arrived = false;
    for (const Ack& ack : peer->take<Ack>()) arrived |= ack.channel == channel_id("m/mine");
    EXPECT_TRUE(arrived);
  }
}

TEST_F(HostAttack, AcknowledgementsAreNoMoreThanMessages) {
  Peer& busroot = root();
  Peer& peer = *hostile_sessions(1)[0];
  for (std::size_t n = 0; n < kReplyCredit + kSpareReplies + 500; ++n) {
    peer.say(ack(remote("r"), channel_id("evil-0/x")));
  }
  harness.run();
  EXPECT_EQ(busroot.take<Ack>().size(), kReplyCredit + kSpareReplies);
  for (std::uint64_t seq = 1; seq <= 10; ++seq) {
    busroot.say_run(run_to("evil-0/x", seq, remote("r")), "hello");
  }
  harness.run();
  for (int n = 0; n < 100; ++n) {
    peer.say(ack(remote("r"), channel_id("evil-0/x")));
  }
  harness.run();
  EXPECT_EQ(busroot.take<Ack>().size(), 20u);
  harness.advance(1'000);
  peer.say(ack(remote("r"), channel_id("evil-0/x")));
  harness.run();
  EXPECT_EQ(busroot.take<Ack>().size(), 1u) << "none waits for ever";
}

/// Many sessions send to each other and never read.
TEST_F(HostAttack, FullQueuesOfOneUserLeaveRoomForOthers) {
  root();
  Peer& a = join("a", {.uid = kHonest});
  Peer& b = join("b", {.rows = {row("m/b")}, .uid = kHonest});
  const auto hostile = hostile_sessions(24);
  const std::string body(1'000'000, 'x');
  std::uint64_t seq = 0;
  for (Peer* peer : hostile) peer->stop(peer != hostile[0]);
  for (int round = 0; round < 9; ++round) {
    for (std::size_t to = 0; to < hostile.size(); ++to) {
      for (const Lane lane : {Lane::call, Lane::sync, Lane::bulk}) {
        bus::Run run = run_to("evil-" + std::to_string(to) + "/x", ++seq);
        run.lane = lane;
        hostile[0]->say_run(run, body);
      }
      harness.run();
    }
  }
  std::size_t queued = 0;
  for (const LinkStatus& link : router.link_status()) {
    for (const std::size_t bytes : link.queued) queued += bytes;
  }
  EXPECT_GT(queued, kQueuesTotal * 8 / 10);
  EXPECT_LE(queued, kQueuesTotal * 9 / 10);
  b.stop();
  for (std::uint64_t n = 1; n <= 10; ++n) a.say_run(run_to("m/b", n), std::string(500'000, 'y'));
  harness.run();
  b.stop(false);
  harness.run();
  EXPECT_EQ(runs(b).size(), 10u);
  EXPECT_EQ(a.count(Kind::nack), 0u);
}

/// It keeps its session alive by heartbeats and takes nothing.
TEST_F(HostAttack, ALinkThatSpeaksAndNeverReadsEnds) {
  root();
  Peer& honest = join("honest", {.uid = kHonest});
  Peer& hostile = *hostile_sessions(1)[0];
  hostile.deafen();
  for (std::uint64_t n = 1; n <= 20; ++n) {
    honest.say_run(run_to("evil-0/x", n), std::string(100'000, 'x'));
  }
  harness.advance(8'000);
  EXPECT_FALSE(harness.closed(hostile));
  honest.say_run(run_to("evil-0/x", 21), "more");
  harness.advance(4'000);
  EXPECT_TRUE(harness.closed(hostile));
  EXPECT_FALSE(harness.closed(honest));
  const auto& failures = router.failures().latest();
  EXPECT_TRUE(std::ranges::any_of(failures, [](const Failure& failure) {
    return failure.reason.find("uid 1001, pid 666") != std::string::npos;
  })) << "the culprit has a name";
}

TEST_F(HostAttack, RequestsOfOneUserLeaveRoomForOthers) {
  Peer& busroot = root();
  Peer& honest = join("honest", {.uid = kHonest});
  const auto hostile = hostile_sessions(8);
  busroot.stop();
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    const Process self = local("evil-" + std::to_string(i));
    for (std::uint64_t n = 0; n < 15'000; ++n) {
      hostile[i]->say(Bind{self, n, std::string(200, 'n') + "/" + std::to_string(n)});
    }
    for (int n = 0; n < 5'000; ++n) {
      const std::string prefix = std::string(200, 'w') + std::to_string(n % 1'000);
      hostile[i]->say(Watch{prefix});
      hostile[i]->say(Unwatch{prefix});
    }
  }
  harness.run();
  honest.say(Bind{local("honest"), 1, "m/mine"});
  honest.say(Watch{"service/"});
  harness.run();
  busroot.stop(false);
  harness.advance(200);
  EXPECT_FALSE(harness.closed(busroot));
  bool bound = false;
  for (const Bind& bind : busroot.take<Bind>()) bound |= bind.name == "m/mine";
  EXPECT_TRUE(bound);
  bool watched = false;
  for (const Watch& watch : busroot.take<Watch>()) watched |= watch.prefix == "service/";
  EXPECT_TRUE(watched);
}

/// Busroot serves all hosts: what one user asks of it in a tick is bounded where others share its
/// host, and names that are asked for again come through.
TEST_F(HostAttack, RequestsOfOneUserArePaced) {
  Peer& busroot = root();
  const auto hostile = hostile_sessions(1);
  const auto flood = [&] {
    for (std::uint64_t n = 0; n < 5'000; ++n) {
      hostile[0]->say(Bind{local("evil-0"), n, "evil/" + std::to_string(n)});
    }
    for (int n = 0; n < 1'000; ++n) hostile[0]->say(Watch{"w" + std::to_string(n) + "/"});
    harness.run();
    return busroot.take<Bind>().size();
  };
  EXPECT_EQ(flood(), 5'000u) << "alone";
  harness.advance(50);
  EXPECT_EQ(busroot.take<Watch>().size(), 1'000u);
  for (int n = 0; n < 1'000; ++n) hostile[0]->say(Unwatch{"w" + std::to_string(n) + "/"});
  harness.advance(50);
  EXPECT_EQ(busroot.take<Unwatch>().size(), 1'000u);

  Peer& honest = join("honest", {.uid = kHonest});
  harness.advance(50);
  const std::size_t passed = flood();
  EXPECT_GT(passed, 500u);
  EXPECT_LT(passed, kRequestsOfTick / sizeof(Process));
  honest.say(Watch{"service/"});
  honest.say(Bind{local("honest"), 1, "m/mine"});
  harness.run();
  const auto binds = busroot.take<Bind>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].name, "m/mine");
  const auto asked = [&](const std::string& prefix) {
    return std::ranges::any_of(busroot.take<Watch>(),
                               [&](const Watch& watch) { return watch.prefix == prefix; });
  };
  EXPECT_TRUE(asked("service/"));
  harness.advance(2'000);
  EXPECT_TRUE(asked("w999/")) << "watches wait, and are not lost";
}

/// A bundle of many records is taken in parts, between which others are served.
TEST_F(HostAttack, ABundleOfManyRecordsIsTakenInParts) {
  Peer& busroot = root();
  Peer& peer = join("honest", {.uid = kHonest});
  shell.has_enough = true;
  for (std::uint64_t n = 0; n < 200; ++n) {
    peer.say(Bind{local("honest"), n, "m/" + std::to_string(n)});
  }
  harness.run();
  EXPECT_GE(shell.asked_enough, 10);
  const auto binds = busroot.take<Bind>();
  ASSERT_EQ(binds.size(), 200u);
  for (std::uint64_t n = 0; n < 200; ++n) EXPECT_EQ(binds[n].number, n);
  EXPECT_FALSE(harness.closed(peer));
}

TEST_F(HostAttack, HellosOfOneUserAreBounded) {
  root();
  std::size_t welcome = 0;
  for (std::size_t n = 0; n < kHellosPerSecond + 100; ++n) {
    Peer& peer = join("evil", {.pid = 666, .incarnation = n + 1, .uid = kHostile});
    welcome += peer.count(Kind::welcome);
    peer.say(Bye{});
    harness.run();
  }
  EXPECT_EQ(welcome, kHellosPerSecond);
  EXPECT_EQ(join("honest", {.uid = kHonest}).count(Kind::welcome), 1u);
}

/// Under ever new names: a limit for each name is none.
TEST_F(HostAttack, LinesAboutOneUserAreBounded) {
  root();
  const auto& log = shell.ShellTraffic::log;
  const auto lines_with = [&](const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        log, [&](const std::string& line) { return line.find(text) != std::string::npos; }));
  };
  for (int n = 0; n < 500; ++n) {
    join("evil-" + std::to_string(n), {.pid = 666, .uid = kHostile}).say(Bye{});
    harness.run();
  }
  EXPECT_EQ(lines_with("evil-"), kUserLines);
  join("honest", {.uid = kHonest});
  EXPECT_EQ(lines_with("honest"), 1u);
  harness.advance(kUserLogReport.count());
  EXPECT_EQ(lines_with("uid 1001: "), 1u) << "how many were left out";
  EXPECT_EQ(lines_with("uid 1002: "), 0u);
  join("evil-again", {.pid = 666, .uid = kHostile});
  EXPECT_EQ(lines_with("evil-again"), 1u) << "there is room again";
}

class HostAttackFew : public HostAttack {
 protected:
  static HostConfig few() {
    HostConfig config = HostRouterTest::config();
    config.max_processes = 90;
    config.max_names = 900;
    return config;
  }
  HostAttackFew() : HostAttack(few()) {}
};

TEST_F(HostAttackFew, SessionsOfOneUserLeaveRoomForOthers) {
  root();
  std::vector<Peer*> hostile;
  for (int i = 0; i < 100; ++i) {
    hostile.push_back(&join("evil-" + std::to_string(i), {.pid = 666, .uid = kHostile}));
  }
  EXPECT_EQ(alive(harness, hostile), 80u);
  for (int i = 0; i < 5; ++i) {
    Peer& honest = join("honest-" + std::to_string(i), {.uid = kHonest});
    EXPECT_EQ(honest.count(Kind::welcome), 1u);
  }
}

TEST_F(HostAttackFew, NamesOfOneUserLeaveRoomForOthers) {
  Peer& busroot = root();
  std::vector<Peer*> hostile;
  for (std::uint64_t i = 0; i < 10; ++i) {
    std::vector<Row> rows;
    for (std::uint64_t n = 0; n < 90; ++n) {
      rows.push_back(row("m/" + std::to_string(i * 1'000 + n), i * 1'000 + n + 1));
    }
    hostile.push_back(
        &join("evil-" + std::to_string(i), {.pid = 666, .rows = rows, .uid = kHostile}));
  }
  EXPECT_EQ(alive(harness, hostile), 9u) << "the sessions that ask for more are refused";
  Peer& honest = join("honest", {.uid = kHonest});
  honest.say(Bind{local("honest"), 1, "m/mine"});
  hostile[0]->say(Bind{local("evil-0"), 1, "m/more"});
  harness.run();
  const auto passed = busroot.take<Bind>();
  ASSERT_EQ(passed.size(), 1u);
  EXPECT_EQ(passed[0].name, "m/mine");
  const auto refused = hostile[0]->take<Refused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::too_many_names);
  EXPECT_NE(refused[0].detail.find("uid 1001"), std::string::npos);
}

/// The names of a host are more than may wait for its link at once.
TEST_F(HostAttack, ALargeTableLeavesInPages) {
  constexpr std::uint64_t kNames = 40'000;  // of 240 bytes: 10 MB for each process
  for (std::uint64_t i = 0; i < 2; ++i) {
    std::vector<Row> rows;
    for (std::uint64_t n = 0; n < kNames; ++n) {
      rows.push_back(row("m/" + std::string(230, 'x') + std::to_string(i * kNames + n), n + 1));
    }
    Peer& peer = connect("n" + std::to_string(i), {.uid = kHonest});
    for (std::size_t at = 0; at < rows.size(); at += 1'000) {
      Table table{local("n" + std::to_string(i)), {}};
      table.rows.assign(rows.begin() + static_cast<std::ptrdiff_t>(at),
                        rows.begin() + static_cast<std::ptrdiff_t>(at + 1'000));
      peer.say(table);
    }
    peer.say(TableEnd{});
    harness.run();
  }
  Peer& busroot = root();
  std::size_t most = 0;
  for (int tick = 0; tick < 400 && busroot.count(Kind::table_end) == 0; ++tick) {
    harness.advance(50);
    for (const LinkStatus& link : router.link_status()) most = std::max(most, link.queued[0]);
  }
  EXPECT_FALSE(harness.closed(busroot));
  EXPECT_EQ(busroot.count(Kind::table_end), 1u);
  EXPECT_LE(most, 2 * kTableRoom);
  std::size_t rows = 0;
  for (const Table& table : busroot.take<Table>()) rows += table.rows.size();
  EXPECT_EQ(rows, 2 * kNames);
}

}  // namespace
}  // namespace starbus::bus::test
