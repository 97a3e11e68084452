// Messages through one host: local and remote, split, refused, too many.
#include <gtest/gtest.h>

#include "bus/core/wire/post_head.hpp"
#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

class HostData : public HostRouterTest {
 protected:
  static HostConfig roles() {
    HostConfig roles = config();
    Role open;
    open.name = "node";
    open.bind = {""};
    open.send = {""};
    Role gate;
    gate.name = "gate";
    gate.bind = {"gate/"};
    gate.send = {"player/", "store/"};
    Role slow = open;
    slow.name = "slow";
    slow.messages_per_second = 10;
    roles.access = AccessList({open, gate, slow});
    return roles;
  }
  HostData() : HostRouterTest(roles()) {}

  static void say_multicast(Peer& peer, const std::vector<std::string>& channels,
                            const Process& origin = {}) {
    Multicast multicast;
    multicast.lane = Lane::sync;
    multicast.origin = origin;
    std::uint64_t seq = 0;
    for (const std::string& name : channels) {
      multicast.targets.push_back({channel_id(name), Epoch::of(1, 1), 0, ++seq});
    }
    multicast.body = as_bytes("body");
    Bytes record;
    encode_multicast(multicast, record);
    peer.say_record(record, Lane::sync);
  }
};

TEST_F(HostData, LocalNamesGoToTheirProcessOthersUp) {
  Peer& busroot = root();
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& two = join("two");
  two.say_run(run_to("x/1"), "hello");
  two.say_run(run_to("y/1"), "hello");
  two.say(Probe{Lane::call, {}, channel_id("x/1"), 5});
  two.say(Probe{Lane::call, {}, channel_id("y/1"), 5});
  harness.run();
  EXPECT_EQ(runs(one).size(), 1u);
  const auto probes = one.take<Probe>();
  ASSERT_EQ(probes.size(), 1u);
  EXPECT_EQ(probes[0].origin, local("two"));
  EXPECT_EQ(runs(busroot).size(), 1u);
  EXPECT_EQ(busroot.take<Probe>().size(), 1u);
  EXPECT_TRUE(two.take<Nack>().empty());
}

TEST_F(HostData, ASpoofedOriginIsOverwritten) {
  Peer& busroot = root();
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& two = join("two", {.incarnation = 9});
  two.say_run(run_to("x/1", 1, remote("x")), "hello");
  two.say_run(run_to("y/1", 2, local("one")), "hello");
  say_multicast(two, {"x/1", "y/1"}, local("one"));
  harness.run();
  EXPECT_EQ(runs(one).at(0).origin, local("two", 9));
  EXPECT_EQ(runs(busroot).at(0).origin, local("two", 9));
  EXPECT_EQ(decode_multicast(one.take_payloads(Kind::multicast).at(0))->origin, local("two", 9));
}

TEST_F(HostData, LargeRunsPassInChunks) {
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& two = join("two");
  const std::string body(3 * 1024 * 1024, 'b');
  two.say_run(run_to("x/1"), body);
  harness.run();
  const auto payloads = one.take_payloads(Kind::data);
  ASSERT_EQ(payloads.size(), 1u);
  const auto run = decode_run(payloads[0]);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->origin, local("two"));
  EXPECT_EQ(as_text(RunReader(*run).next()->body), body);
}

TEST_F(HostData, FromBusrootOnlyDownwards) {
  Peer& busroot = root();
  Peer& one = join("one", {.rows = {row("x/1")}});
  busroot.say_run(run_to("x/1", 1, remote("x")), "hello");
  busroot.say_run(run_to("y/1", 2, remote("x")), "hello");
  busroot.say(Probe{Lane::call, remote("x"), channel_id("y/1"), 5});
  say_multicast(busroot, {"x/1", "y/1"}, remote("x"));
  busroot.say(Ack{Lane::call, remote("x"), channel_id("x/1"), {}, 1});
  busroot.say(Ack{Lane::call, local("one"), channel_id("z/1"), {}, 1});
  busroot.say(Ack{Lane::call, local("one", 8), channel_id("z/1"), {}, 1});
  harness.run();
  EXPECT_EQ(runs(one).at(0).origin, remote("x"));
  EXPECT_EQ(multicasts(one).at(0).size(), 1u);
  EXPECT_EQ(one.take<Ack>().size(), 1u);
  EXPECT_EQ(busroot.count(Kind::data), 0u);
  EXPECT_EQ(busroot.count(Kind::ack), 0u);
  EXPECT_EQ(busroot.count(Kind::nack), 0u);
  EXPECT_EQ(router.host_counters().not_local, 3u);
  EXPECT_EQ(router.counters().dropped_replies, 2u);
}

TEST_F(HostData, RepliesGoToTheirOrigin) {
  Peer& busroot = root();
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& two = join("two");
  one.say(Ack{Lane::call, local("two"), channel_id("x/1"), {}, 1});
  one.say(Nack{Lane::call, remote("x"), channel_id("x/1"), 1, NackReason::gap, {}, 0});
  two.say(Ack{Lane::call, remote("x"), channel_id("x/1"), {}, 9});  // not its channel
  harness.run();
  EXPECT_EQ(two.take<Ack>().size(), 1u);
  EXPECT_EQ(busroot.take<Nack>().size(), 1u);
  EXPECT_EQ(busroot.count(Kind::ack), 0u);
  EXPECT_EQ(router.host_counters().foreign_replies, 1u);
}

TEST_F(HostData, TheChannelOfAProcessNeedsNoGrant) {
  Peer& one = join("one");
  Peer& two = join("two");
  two.say_run(run_to("process/a.one"), "reply");
  harness.run();
  EXPECT_EQ(runs(one).size(), 1u);
}

TEST_F(HostData, WithoutBusrootRemoteTrafficChokesAndLocalGoesOn) {
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& two = join("two");
  silent_root();  // has not said welcome
  harness.run();
  two.say_run(run_to("y/1", 1), "hello");
  two.say_run(run_to("x/1", 2), "hello");
  say_multicast(two, {"x/1", "y/1"});
  harness.run();
  const auto nacks = two.take<Nack>();
  ASSERT_EQ(nacks.size(), 2u);
  EXPECT_EQ(nacks[0].reason, NackReason::overflow);
  EXPECT_EQ(nacks[0].channel, channel_id("y/1"));
  EXPECT_EQ(runs(one).size(), 1u);
  EXPECT_EQ(multicasts(one).size(), 1u);
  EXPECT_EQ(router.host_counters().without_uplink, 2u);
}

TEST_F(HostData, BetweenTwoSessionsOfTheReceiverItsSendersChoke) {
  Peer& busroot = root();
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& two = join("two");
  harness.cut(one);
  two.say_run(run_to("x/1"), "hello");
  busroot.say_run(run_to("x/1", 1, remote("x")), "hello");
  harness.run();
  EXPECT_EQ(two.take<Nack>().at(0).reason, NackReason::overflow);
  EXPECT_EQ(busroot.take<Nack>().at(0).origin, remote("x"));
  EXPECT_EQ(busroot.count(Kind::data), 0u);

  Peer& half = connect("one", {});  // hello, but the table is not complete
  harness.run();
  two.say_run(run_to("x/1"), "hello");
  harness.run();
  EXPECT_EQ(half.count(Kind::data), 0u);
  EXPECT_EQ(two.take<Nack>().size(), 1u);
}

TEST_F(HostData, WhoWasToldToHoldBackHearsOfTheNewWay) {
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& two = join("two");
  Peer& idle = join("idle");
  two.say_run(run_to("y/1", 1), "hello");
  harness.run();
  EXPECT_EQ(two.count(Kind::room), 0u);
  root();
  EXPECT_EQ(two.take<Room>().size(), 1u);
  harness.cut(one);
  two.say_run(run_to("x/1", 2), "hello");
  harness.run();
  connect("one", {});
  harness.run();
  EXPECT_EQ(two.count(Kind::room), 0u) << "its table is not complete";
  join("one");
  EXPECT_EQ(two.take<Room>().size(), 1u);
  join("one");
  EXPECT_EQ(two.count(Kind::room) + idle.count(Kind::room), 0u);
}

TEST_F(HostData, MulticastIsSplitOncePerReceiver) {
  Peer& busroot = root();
  Peer& one = join("one", {.rows = {row("x/1"), row("x/2")}});
  Peer& two = join("two", {.rows = {row("x/3")}});
  Peer& three = join("three");
  for (int round = 0; round < 2; ++round) {
    say_multicast(three, {"x/1", "y/1", "x/3", "y/2", "x/2"});
    harness.run();
    const auto to_one = multicasts(one);
    ASSERT_EQ(to_one.size(), 1u);
    ASSERT_EQ(to_one[0].size(), 2u);
    EXPECT_EQ(to_one[0][1].seq, 5u);
    EXPECT_EQ(multicasts(two).at(0).size(), 1u);
    EXPECT_EQ(multicasts(busroot).at(0).size(), 2u);
  }
  EXPECT_EQ(router.counters().multicast_copies_out, 6u);
}

TEST_F(HostData, RestrictedRolesOpenBeforeTheySend) {
  Peer& busroot = root();
  const auto gate = [&]() -> Peer& { return join("gate-1", {.role = "gate"}); };
  Peer& good = gate();
  good.say_record(
      [] {
        Bytes record;
        encode(Open{Lane::call, "player/1"}, record);
        return record;
      }(),
      Lane::call);
  good.say_run(run_to("player/1"), "hello");
  good.say_run(run_to("process/b.x"), "reply");
  harness.run();
  EXPECT_FALSE(harness.closed(good));
  EXPECT_EQ(runs(busroot).size(), 2u);

  Peer& again = gate();  // a new session: nothing is open
  again.say_run(run_to("player/1"), "hello");
  harness.run();
  EXPECT_EQ(reset_of(again), Errc::denied);

  Peer& lane = gate();
  lane.say(Open{Lane::bulk, "player/1"});
  lane.say(Probe{Lane::call, {}, channel_id("player/1"), 1});
  harness.run();
  EXPECT_EQ(reset_of(lane), Errc::denied);

  Peer& forbidden = gate();
  forbidden.say(Open{Lane::call, "bank/1"});
  harness.run();
  EXPECT_EQ(reset_of(forbidden), Errc::denied);

  Peer& many = gate();
  say_multicast(many, {"player/1"});
  harness.run();
  EXPECT_EQ(reset_of(many), Errc::denied);
  EXPECT_EQ(busroot.count(Kind::data), 0u);
  EXPECT_EQ(router.host_counters().denied, 4u);
}

/// The channel of a shard is open to it, so what stands in the message decides.
TEST_F(HostData, RestrictedRolesPostOnlyWhereTheyMaySend) {
  Peer& busroot = root();
  const std::string store = shard_name(shard_of(channel_id("player/1")));
  const auto gate = [&]() -> Peer& {
    Peer& peer = join("gate-1", {.role = "gate"});
    for (const Lane lane : {Lane::call, Lane::sync}) {
      Bytes record;
      encode(Open{lane, store}, record);
      peer.say_record(record, lane);
    }
    return peer;
  };
  const auto post_to = [](const std::string& name) {
    Bytes message;
    encode_post_head({PostTarget::mailbox, name, {}, {}}, message);
    return std::string(as_text(message)) + "gift";
  };
  Peer& good = gate();
  good.say_run(run_to(store), post_to("player/1"));
  harness.run();
  EXPECT_FALSE(harness.closed(good));
  EXPECT_EQ(runs(busroot).size(), 1u);

  for (const std::string& message : {post_to("bank/1"), std::string("no post"), std::string()}) {
    Peer& forbidden = gate();
    forbidden.say_run(run_to(store), message);
    harness.run();
    EXPECT_EQ(reset_text(forbidden),
              "role \"gate\" may not post to a name that it may not send to");
  }
  Peer& large = gate();
  large.say_run(run_to(store), post_to("bank/1") + std::string(3 * 1024 * 1024, 'x'));
  harness.run();
  EXPECT_EQ(reset_of(large), Errc::denied);

  Peer& many = gate();
  say_multicast(many, {store});
  harness.run();
  EXPECT_EQ(reset_text(many), "role \"gate\" may not post to a name that it may not send to");
  EXPECT_EQ(busroot.count(Kind::data), 0u);
  EXPECT_EQ(busroot.count(Kind::multicast), 0u);

  Peer& node = join("node-1");  // an open role is asked nothing
  node.say_run(run_to(store), post_to("bank/1"));
  harness.run();
  EXPECT_EQ(runs(busroot).size(), 1u);
}

TEST_F(HostData, OpenedChannelsAreBounded) {
  Peer& peer = join("gate-1", {.role = "gate"});
  for (int i = 0; i < 65'536; ++i) peer.say(Open{Lane::call, "player/" + std::to_string(i)});
  harness.run();
  EXPECT_FALSE(harness.closed(peer));
  peer.say(Open{Lane::sync, "player/1"});
  harness.run();
  EXPECT_EQ(reset_of(peer), Errc::overloaded);
}

TEST_F(HostData, RatesAboveTheRoleChoke) {
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& slow = join("slow", {.role = "slow"});
  for (std::uint64_t seq = 1; seq <= 20; ++seq) slow.say_run(run_to("x/1", seq), "hello");
  harness.run();
  EXPECT_EQ(runs(one).size(), 10u);
  EXPECT_EQ(slow.take<Nack>().size(), 10u);
  EXPECT_EQ(router.host_counters().over_rate, 10u);
  harness.advance(500);
  for (std::uint64_t seq = 21; seq <= 40; ++seq) slow.say_run(run_to("x/1", seq), "hello");
  harness.run();
  EXPECT_EQ(runs(one).size(), 5u);
}

TEST_F(HostData, MalformedDataEndsTheSession) {
  Peer& peer = join("one");
  Bytes record;
  encode_run(run_to("x/1"), record);  // a run without messages
  peer.say_record(record, Lane::call);
  harness.run();
  EXPECT_EQ(reset_of(peer), Errc::bad_bytes);
}

TEST_F(HostData, AStoppedReceiverSlowsNobodyElse) {
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& two = join("two", {.rows = {row("x/2")}});
  Peer& three = join("three");
  one.stop();
  const std::string body(60'000, 'b');
  const std::size_t share = kDaemonQueue * kShare / (kShare + 1);  // of one that is alone
  const std::size_t enough = (kLinkClock + share) / body.size() + 10;
  for (std::uint64_t seq = 1; seq <= enough; ++seq) {
    three.say_run(run_to("x/1", seq), body);
    three.say_run(run_to("x/2", enough + seq), "small");
    harness.run();
  }
  EXPECT_EQ(runs(two).size(), enough);
  const auto nacks = three.take<Nack>();
  EXPECT_FALSE(nacks.empty());
  EXPECT_LT(nacks.size(), 20u);
  for (const Nack& nack : nacks) EXPECT_EQ(nack.channel, channel_id("x/1"));

  one.stop(false);
  harness.run();
  EXPECT_EQ(runs(one).size(), enough - nacks.size());
}

TEST_F(HostData, WhatWaitsTooLongIsRefused) {
  Peer& one = join("one", {.rows = {row("x/1")}});
  Peer& two = join("two");
  one.stop();
  const std::string body(60'000, 'b');
  for (std::uint64_t seq = 1; seq <= 20; ++seq) two.say_run(run_to("x/1", seq), body);
  harness.run();
  EXPECT_TRUE(two.take<Nack>().empty());
  harness.advance(kQueueAge - 1000ms);
  EXPECT_TRUE(two.take<Nack>().empty());
  harness.advance(2000);  // the queue is refused, and the silent session ends
  EXPECT_TRUE(harness.closed(one));
}

TEST_F(HostData, TheTapSeesWhatPasses) {
  Peer& busroot = root();
  join("one", {.rows = {row("x/1")}});
  std::vector<std::uint64_t> seen;
  router.set_tap(channel_id("x/1"), [&](const bus::Run& run) { seen.push_back(run.seq); });
  busroot.say_run(run_to("x/1", 1, remote("x")), "hello");
  busroot.say_run(run_to("x/2", 2, remote("x")), "hello");
  harness.run();
  router.set_tap(channel_id("x/1"), {});
  busroot.say_run(run_to("x/1", 3, remote("x")), "hello");
  harness.run();
  EXPECT_EQ(seen, std::vector<std::uint64_t>{1});
}

}  // namespace
}  // namespace starbus::bus::test
