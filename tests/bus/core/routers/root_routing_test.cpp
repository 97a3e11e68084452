/// Messages through busroot: between hosts, to nobody, held, and split per host.
#include <gtest/gtest.h>

#include "tests/bus/core/routers/root_fixture.hpp"

namespace starbus::bus::test {
namespace {

using RootRouting = RootTest;

std::vector<std::string> bodies(Peer& peer) {
  std::vector<std::string> all;
  for (const Bytes& payload : peer.take_payloads(Kind::data)) {
    const auto run = decode_run(payload);
    EXPECT_TRUE(run);
    RunReader reader(*run);
    while (const auto item = reader.next()) all.emplace_back(as_text(item->body));
  }
  return all;
}

std::size_t nacks(Peer& peer, NackReason reason) {
  std::size_t found = 0;
  for (const Nack& nack : peer.take<Nack>()) found += nack.reason == reason;
  return found;
}

TEST_F(RootRouting, RunsReachTheHostOfTheOwnerUnchanged) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(b, kB, "player/1");
  a.say_run(run_to(kA, "player/1", 3), "hello");
  a.say_run(run_to(kA, "player/1", 4), std::string(200'000, 'x'));  // travels in chunks
  harness->run();
  const auto payloads = b.take_payloads(Kind::data);
  ASSERT_EQ(payloads.size(), 2u);
  const auto first = decode_run(payloads[0]);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->origin, kA);
  EXPECT_EQ(first->seq, 3u);
  EXPECT_EQ(first->lane, Lane::sync);
  const auto second = decode_run(payloads[1]);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->items.size(), 200'000 + kItemHeader);
  EXPECT_EQ(root->counters().messages_forwarded, 2u);
}

TEST_F(RootRouting, UnknownNamesAreAnsweredNoOwner) {
  Peer& a = join("A");
  a.say_run(run_to(kA, "player/1", 3), "hello");
  harness->run();
  a.say(Probe{Lane::call, kA, channel_id("player/2"), 9});
  harness->run();
  const auto answers = a.take<Nack>();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].reason, NackReason::no_owner);
  EXPECT_EQ(answers[0].seq, 3u);
  EXPECT_EQ(answers[1].seq, 9u);
  EXPECT_EQ(root->failures().latest().back().channel, channel_id("player/2"));
}

TEST_F(RootRouting, ProbesAndRepliesFindTheirWay) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(b, kB, "player/1");
  a.say(Probe{Lane::call, kA, channel_id("player/1"), 9});
  b.say(Ack{Lane::call, kA, channel_id("player/1"), Epoch::of(1, 1), 4});
  b.say(Nack{Lane::call, kA, channel_id("player/1"), 9, NackReason::gap, Epoch::of(1, 1), 4});
  b.say(Ack{Lane::call, process_on("C", "n1"), channel_id("player/1"), Epoch::of(1, 1), 4});
  harness->run();
  EXPECT_EQ(b.take<Probe>().size(), 1u);
  EXPECT_EQ(a.take<Ack>().size(), 1u);
  EXPECT_EQ(a.take<Nack>().size(), 1u);
  EXPECT_EQ(root->counters().dropped_replies, 1u);
}

TEST_F(RootRouting, AMulticastGoesOncePerHost) {
  Peer& a = join("A");
  Peer& b = join("B", {"n1", "n2"});
  Peer& c = join("C");
  bind(b, kB, "m/1", 1);
  bind(b, process_on("B", "n2"), "m/2", 1);
  bind(b, kB, "m/3", 2);
  bind(c, process_on("C", "n1"), "m/4", 1);
  const auto target = [](const char* name) {
    return Target{channel_id(name), Epoch::of(1, 1), 0, 5};
  };
  const std::string body = "to all";
  Bytes record;
  encode_multicast({Lane::sync,
                    kA,
                    {target("m/1"), target("m/4"), target("m/2"), target("m/none"), target("m/3")},
                    as_bytes(body)},
                   record);
  for (int round = 0; round < 2; ++round) {
    a.say_record(record, Lane::sync);
    harness->run();
    const auto at_b = b.take_payloads(Kind::multicast);
    const auto at_c = c.take_payloads(Kind::multicast);
    ASSERT_EQ(at_b.size(), 1u);
    ASSERT_EQ(at_c.size(), 1u);
    const auto part = decode_multicast(at_b[0]);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->targets.size(), 3u);
    EXPECT_EQ(part->targets[2].channel, channel_id("m/3"));
    EXPECT_EQ(as_text(part->body), body);
    EXPECT_EQ(decode_multicast(at_c[0])->targets.size(), 1u);
    EXPECT_EQ(nacks(a, NackReason::no_owner), 1u);
  }
  EXPECT_EQ(root->counters().multicast_copies_out, 4u);
}

TEST_F(RootRouting, InGraceUnknownNamesAreHeldAndReleasedInOrder) {
  restart(2, {"A", "B"});
  Peer& a = join("A");
  a.say_run(run_to(kA, "player/1", 1), "1");
  a.say_run(run_to(kA, "player/1", 2), "2");
  a.say(Probe{Lane::sync, kA, channel_id("player/1"), 2});
  a.say_run(run_to(kA, "player/gone", 3), "3");
  const std::string body = "4";
  Bytes record;
  encode_multicast(
      {Lane::sync, kA, {{channel_id("player/1"), Epoch::of(1, 1), 2, 4}}, as_bytes(body)}, record);
  a.say_record(record, Lane::sync);
  harness->run();
  EXPECT_EQ(root->held().names(), 2u);
  Peer& b = connect("B");
  b.say(up_of("B", "n1"));
  b.say(Table{kB, {{"player/1", Epoch::of(1, 1), Epoch::of(1, 1), RowState::active}}});
  b.say(TableEnd{});
  harness->run();
  EXPECT_EQ(b.take<Probe>().size(), 1u);
  EXPECT_EQ(bodies(b), (std::vector<std::string>{"1", "2", "4"}));
  const auto answers = a.take<Nack>();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].reason, NackReason::no_owner);
  EXPECT_EQ(answers[0].channel, channel_id("player/gone"));
  EXPECT_EQ(root->held().bytes(), 0u);
}

TEST_F(RootRouting, AFullHoldQueueAnswersOverflow) {
  restart(2, {"A", "B"});
  Peer& a = join("A");
  const std::string body(100'000, 'x');
  for (std::uint64_t seq = 1; seq <= 12; ++seq) a.say_run(run_to(kA, "player/1", seq), body);
  harness->run();
  EXPECT_EQ(nacks(a, NackReason::overflow), 2u);
  EXPECT_LE(root->held().bytes(), kHoldQueue);
  for (std::uint64_t i = 0; i < 80; ++i) {  // 80 names of 900 KB: more than kHoldTotal
    for (int part = 0; part < 9; ++part) {
      a.say_run(run_to(kA, "other/" + std::to_string(i), i + 1), body);
    }
    harness->run();
  }
  EXPECT_GT(nacks(a, NackReason::overflow), 0u);
  EXPECT_LE(root->held().bytes(), kHoldTotal);
}

TEST_F(RootRouting, WhatIsHeldTooLongIsGivenBack) {
  restart(2, {"A", "B"});
  Peer& a = join("A");
  a.say_run(run_to(kA, "player/1", 1), "1");
  harness->advance(kQueueAge - 1000ms);
  a.say(Probe{Lane::sync, kA, channel_id("player/1"), 2});
  harness->advance(2500);
  EXPECT_EQ(nacks(a, NackReason::overflow), 1u);
  harness->advance(kQueueAge);
  EXPECT_EQ(nacks(a, NackReason::overflow), 1u);
  EXPECT_EQ(root->held().bytes(), 0u);
}

TEST_F(RootRouting, RunsToAHostThatIsAwayWaitForIt) {
  Peer& a = join("A");
  Peer& b = join("B");
  const Epoch epoch = bind(b, kB, "player/1");
  harness->cut(b);
  a.say_run(run_to(kA, "player/1", 1), "1");
  harness->run();
  EXPECT_EQ(root->held().names(), 1u);
  Peer& again = connect("B");
  again.say(up_of("B", "n1"));
  harness->run();
  EXPECT_TRUE(bodies(again).empty());  // its table is not complete
  again.say(Table{kB, {{"player/1", epoch, epoch, RowState::active}}});
  again.say(TableEnd{});
  harness->run();
  EXPECT_EQ(bodies(again), std::vector<std::string>{"1"});

  harness->cut(again);
  harness->advance(kLease - 5000ms);
  a.say_run(run_to(kA, "player/1", 2), "2");
  harness->advance(6000);  // the lease ends
  EXPECT_EQ(nacks(a, NackReason::no_owner), 1u);
}

TEST_F(RootRouting, ANameThatDiesAnswersWhatWasHeldForIt) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(b, kB, "player/1");
  harness->cut(b);
  a.say_run(run_to(kA, "player/1", 1), "1");
  harness->run();
  join("B", {"other"}, 2);
  EXPECT_EQ(nacks(a, NackReason::no_owner), 1u);
}

TEST_F(RootRouting, AFullLinkAnswersOverflow) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(b, kB, "player/1");
  // Nobody takes what busroot sends to B, so its link clock and then its queue fill up.
  const std::string body(1'000'000, 'x');
  b.stop();
  for (std::uint64_t seq = 1; seq <= 12; ++seq) {
    a.say_run(run_to(kA, "player/1", seq), body);
    harness->run();
  }
  const std::size_t refused = nacks(a, NackReason::overflow);
  b.stop(false);
  harness->run();
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(bodies(b).size(), 12 - refused);
}

}  // namespace
}  // namespace starbus::bus::test
