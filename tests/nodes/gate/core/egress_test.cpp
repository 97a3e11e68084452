// Budgets: what a client may be sent, what a gate may send, and what a slow or greedy one costs
// others.
#include "tests/nodes/gate/core/fixture.hpp"

namespace starbus::nodes::gate {
namespace {

using namespace fixture;

std::string text_of_size(std::size_t bytes) {
  return std::string(bytes, 'x');
}

TEST(CreditTest, FollowsWhatIsAcknowledged) {
  CreditMeter meter;
  GateTime now{10'000};
  EXPECT_EQ(meter.allowed(now), kLeastCredit);
  for (int i = 0; i < 10; ++i) {
    meter.acked(20'000, now);
    now += GateTime(100);
  }
  EXPECT_EQ(meter.allowed(now), 200'000U);
  meter.acked(4'000'000, now);
  EXPECT_EQ(meter.allowed(now), sessions::kMostCredit);
  EXPECT_EQ(meter.allowed(now + 3 * GateTime(kCreditTime)), kLeastCredit);
}

TEST(ByteBucketTest, MayGoBelowZeroOnce) {
  ByteBucket bucket;
  GateTime now{5'000};
  EXPECT_TRUE(bucket.has(1'000, 500, now));
  bucket.take(2'500);
  EXPECT_FALSE(bucket.has(1'000, 500, now + GateTime(2'000)));
  EXPECT_TRUE(bucket.has(1'000, 500, now + GateTime(2'001)));
  EXPECT_TRUE(bucket.has(0, 0, now));
  bucket.take(1'000'000);
  EXPECT_TRUE(bucket.has(1'000, 500, now + GateTime(2'001)));  // a bound that is new begins full
}

class EgressTest : public ::testing::Test {
 protected:
  struct Player {
    SessionId session{};
    std::uint64_t said = 1;   // parts
    std::uint64_t shown = 0;  // packets
    std::size_t bytes = 0;    // of these
    std::size_t mark = 0;     // bytes at some moment
  };
  /// `count` players, of which number i has the connection i.
  void enter(std::uint64_t count) {
    for (std::uint64_t i = 1; i <= count; ++i) {
      players_[i].session = gate_.log_in(i, "player/" + std::to_string(i)).session;
      players_[i].shown = 1;
    }
  }
  void say(std::uint64_t who, std::size_t bytes) {
    Player& player = players_.at(who);
    gate_.say(player.session, ++player.said, {Driven::call(text_of_size(bytes))},
              "player/" + std::to_string(who));
  }
  /// What the connections get; in order and without a hole.
  std::vector<std::uint64_t> show() {
    std::vector<std::uint64_t> whom;
    for (Effect& effect : gate_.core.take()) {
      if (const auto* packet = std::get_if<SendPacket>(&effect)) {
        Player& player = players_.at(packet->to);
        if (packet->packet.kind != PacketKind::ended) {
          EXPECT_EQ(packet->packet.c, ++player.shown) << packet->to;
        }
        player.bytes += size_of(packet->packet);
        whom.push_back(packet->to);
      } else if (const auto* frame = std::get_if<SendFrame>(&effect)) {
        if (const auto* closed = std::get_if<Closed>(&frame->frame)) {
          closed_[frame->to] = closed->reason;
        }
      }
    }
    return whom;
  }
  void ack(std::uint64_t who) { gate_.core.frame(who, Ack{players_.at(who).shown}); }
  const Session& record(std::uint64_t who) { return *gate_.core.find(players_.at(who).session); }

  Driven gate_{kOne};
  std::map<std::uint64_t, Player> players_;
  std::map<std::uint64_t, CloseReason> closed_;
};

TEST_F(EgressTest, AClientBeyondItsRateWaitsAndOthersDoNot) {
  gate_.core.set({10'000, 20'000, 0});
  enter(2);
  for (int i = 0; i < 10; ++i) say(1, 5'000);
  say(2, 5'000);
  show();
  EXPECT_EQ(players_[1].shown, 5U);  // the burst, with the full state
  EXPECT_EQ(players_[2].shown, 2U);
  EXPECT_EQ(gate_.core.sessions_waiting(), 1U);
  EXPECT_EQ(Egress::waiting(record(1)), 6U);
  EXPECT_GT(gate_.core.counters().packets_waited, 0U);
  // It may not say that it has what was not handed out.
  for (int i = 0; i < 20; ++i) {
    gate_.tick(GateTime(100));
    show();
    EXPECT_LE(players_[1].bytes, 25'000U + 1'000U * static_cast<std::size_t>(i + 1));
  }
  for (int i = 0; i < 60; ++i) {
    gate_.tick(GateTime(100));
    show();
    ack(1);
  }
  EXPECT_EQ(players_[1].shown, 11U);
  EXPECT_EQ(gate_.core.sessions_waiting(), 0U);
  EXPECT_EQ(record(1).window.bytes(), 0U);
}

TEST_F(EgressTest, AnAcknowledgementOfWhatWaitsIsALie) {
  gate_.core.set({10'000, 4'096, 0});
  enter(1);
  say(1, 9'000);
  say(1, 9'000);
  show();
  gate_.core.frame(1, Ack{3});
  show();
  EXPECT_EQ(closed_[1], CloseReason::malformed);
}

TEST_F(EgressTest, WhatOthersLeaveIsSharedEqually) {
  enter(20);
  gate_.core.set({0, 0, 1'000'000});
  // Players 1 to 4 are sent more than there is, 5 to 20 a little.
  const auto second = [&] {
    for (int i = 0; i < 10; ++i) {
      gate_.tick(GateTime(100));
      for (std::uint64_t who = 1; who <= 20; ++who) {
        for (int n = 0; n < (who <= 4 ? 10 : 1); ++n) say(who, who <= 4 ? 10'000 : 1'000);
      }
      const auto whom = show();
      for (std::uint64_t who = 5; who <= 20; ++who) {
        EXPECT_EQ(players_[who].shown, players_[who].said) << "a small one waits";
      }
      for (std::uint64_t who = 1; who <= 20; ++who) ack(who);
      show();
    }
  };
  second();  // bursts
  for (auto& [who, player] : players_) player.mark = player.bytes;
  second();
  std::size_t all = 0;
  for (auto& [who, player] : players_) {
    const std::size_t bytes = player.bytes - player.mark;
    all += bytes + kPacketHead * (bytes / 10'000);
    // 1,000,000 less the 160,000 and heads of the small ones, for four.
    if (who <= 4) {
      EXPECT_NEAR(static_cast<double>(bytes), 210'000, 30'000) << who;
    }
  }
  EXPECT_LE(all, 1'100'000U);
}

/// One that reads nothing and one that is sent a hundred times as much cost a thousand others
/// nothing: each of their packets is handed out at once, and memory stays bounded.
TEST_F(EgressTest, ADeafAndAGreedyOneCostAThousandOthersNothing) {
  constexpr std::uint64_t kNormal = 1'000, kDeaf = 1'001, kGreedy = 1'002;
  gate_.core.set({100'000, 200'000, 4'000'000});
  enter(kGreedy);
  gate_.tick(GateTime(10'000));
  std::size_t most = 0;
  for (int round = 0; round < 20; ++round) {
    gate_.tick(GateTime(100));
    show();
    for (int n = 0; n < 100; ++n) {
      if (closed_.contains(kGreedy)) break;
      say(kGreedy, 4'000);
    }
    if (!closed_.contains(kDeaf)) say(kDeaf, 400'000);
    for (std::uint64_t who = 1; who <= kNormal; ++who) say(who, 200);
    show();
    for (std::uint64_t who = 1; who <= kNormal; ++who) {
      ASSERT_EQ(players_[who].shown, players_[who].said) << "round " << round;
      ack(who);
    }
    if (!closed_.contains(kGreedy)) ack(kGreedy);
    show();
    most = std::max(most, record(kGreedy).window.bytes());
    most = std::max(most, record(kDeaf).window.bytes());
  }
  EXPECT_LE(most, kWindowBytes + 400'000);
  EXPECT_EQ(closed_[kDeaf], CloseReason::too_slow);
  EXPECT_EQ(closed_[kGreedy], CloseReason::too_slow);  // forty times its rate
  EXPECT_EQ(closed_.size(), 2U);
  EXPECT_EQ(gate_.core.counters().too_slow, 2U);
  // Nobody is told to have more than it has acknowledged in a second.
  EXPECT_LE(record(1).credited, kLeastCredit);
}

TEST_F(EgressTest, AClientThatComesBackGetsWhatWaited) {
  gate_.core.set({10'000, 4'096, 0});
  const Welcome welcome = gate_.log_in(1);
  players_[1].session = welcome.session;
  players_[1].shown = 1;
  for (std::uint64_t n = 2; n <= 5; ++n)
    gate_.say(welcome.session, n, {Driven::call(text_of_size(3'000))});
  show();
  EXPECT_LT(players_[1].shown, 5U);
  gate_.core.closed(1);
  players_[2] = players_[1];
  gate_.core.opened(2, "1.2.3.4");
  gate_.core.frame(
      2, Resume{welcome.session, welcome.token, welcome.gate, {1, players_[1].shown}, {}});
  for (int i = 0; i < 30; ++i) {
    gate_.tick(GateTime(100));
    show();
  }
  EXPECT_EQ(players_[2].shown, 5U);
}

/// An announcement has no number of the home, so its acknowledgement brings no new one.
TEST_F(EgressTest, CreditComesAgainAfterNone) {
  enter(1);
  say(1, 10);
  gate_.core.announce(kHome, 1, "guild", body_text(text_of_size(kLeastCredit)));
  gate_.tick();
  show();
  gate_.core.frame(1, Ack{2});
  auto credits = gate_.words<sessions::Credit>();
  ASSERT_EQ(credits.size(), 1U);
  EXPECT_EQ(credits[0].n, 2U);
  EXPECT_EQ(credits[0].bytes, 0U);
  gate_.core.frame(1, Ack{3});
  credits = gate_.words<sessions::Credit>();
  ASSERT_EQ(credits.size(), 1U);
  EXPECT_EQ(credits[0].n, 2U);
  EXPECT_GE(credits[0].bytes, kLeastCredit);
}

}  // namespace
}  // namespace starbus::nodes::gate
