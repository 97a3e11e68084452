/// What an owner remembers of streams, of the withdrawn and of the dead, and for how long.
#include "tests/bus/core/ends/owner_fixture.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(OwnerTest, FilterEntriesAreForgottenAfterTheirLife) {
  const auto sweep_at = [&](Time now) {
    owner.set_now(now);
    for (int i = 0; i < 100; ++i) owner.sweep();
  };
  owner.set_now(from_ms(1'000));
  data(0, 1, "a");
  data(0, 1, "b", kBob);
  answers();
  sweep_at(100'000ms);
  EXPECT_EQ(owner.filter_entries(), 2u);
  probe(1, kBob);  // a use
  answers();
  sweep_at(1'000ms + kFilterEntryLife);
  EXPECT_EQ(owner.filter_entries(), 2u);
  sweep_at(12'000ms + kFilterEntryLife);
  EXPECT_EQ(owner.filter_entries(), 1u);
  sweep_at(120'000ms + kFilterEntryLife);
  EXPECT_EQ(owner.filter_entries(), 0u);
}

/// Its bodies are lost on their way for long, its probes are not.
TEST_F(OwnerTest, AProbeAboveLastIsAUseOfTheEntry) {
  owner.set_now(from_ms(1'000));
  data(0, 1, "a");
  answers();
  owner.set_now(100'000ms);
  probe(2);
  EXPECT_THAT(answers(), ElementsAre("gap 1"));
  owner.set_now(12'000ms + kFilterEntryLife);
  for (int i = 0; i < 100; ++i) owner.sweep();
  data(1, 2, "b");
  EXPECT_EQ(handled, "ab");
}

class OwnerWithdrawn : public OwnerTest {
 protected:
  void withdraw(std::uint64_t seq, const Process& origin = kAlice) {
    owner.on_withdraw({Lane::call, origin, kChannel, seq});
  }
};

TEST_F(OwnerWithdrawn, IsNotHandledAndCountsAsHandled) {
  withdraw(2);
  data(0, 1, "abc");
  EXPECT_EQ(handled, "ac");
  EXPECT_THAT(answers(), ElementsAre("ack 3"));
  EXPECT_EQ(owner.counters().withdrawn, 1u);
  data(0, 1, "abc");
  EXPECT_EQ(handled, "ac");
}

TEST_F(OwnerWithdrawn, OfAnotherSenderOrTooLateItMeansNothing) {
  withdraw(1, kBob);
  data(0, 1, "a");
  withdraw(1);
  EXPECT_EQ(handled, "a");
  data(1, 2, "b");
  EXPECT_EQ(handled, "ab");
}

TEST_F(OwnerWithdrawn, AreBounded) {
  withdraw(1);
  for (std::uint64_t seq = 2; seq <= kMaxWithdrawn + 1; ++seq) withdraw(seq, kBob);
  data(0, 1, "a");
  EXPECT_EQ(handled, "a") << "the longest known has given way";
  data(0, 2, "b", kBob);
  EXPECT_EQ(handled, "a");
}

TEST_F(OwnerWithdrawn, AreForgotten) {
  owner.set_now(1'000ms);
  withdraw(1);
  owner.set_now(12'000ms + kFilterEntryLife);
  withdraw(5, kBob);
  data(0, 1, "a");
  EXPECT_EQ(handled, "a");
}

TEST(OwnerMemory, AMillionPairsTakeAtMost64BytesEachAndNothingOnceForgotten) {
  constexpr std::uint64_t kChannels = 1000;
  constexpr std::uint32_t kOrigins = 1000;
  Owner owner([](std::uint64_t, const Delivery&) {}, [](ByteView) {});
  owner.set_now(from_ms(1'000));
  Bytes items;
  Writer writer(items);
  writer.put(1U);
  writer.put(0U);
  writer.bytes(as_bytes("m"));
  std::size_t worst = 0;  // bytes an entry, while they grow
  for (std::uint64_t channel = 1; channel <= kChannels; ++channel) {
    owner.activate({7, channel}, kLife, kLife, channel);
  }
  for (std::uint32_t origin = 1; origin <= kOrigins; ++origin) {
    for (std::uint64_t channel = 1; channel <= kChannels; ++channel) {
      owner.on_run({Lane::call, 1, {origin % 7, origin, 1}, {7, channel}, kLife, 0, 1, items});
    }
    owner.flush_acks();
    worst = std::max(worst, owner.filter_bytes() / owner.filter_entries());
  }
  EXPECT_EQ(owner.filter_entries(), kChannels * kOrigins);
  EXPECT_LE(worst, 64u);
  owner.set_now(2'000ms + kFilterEntryLife + 1'000ms);
  for (int i = 0; i < 1'000; ++i) owner.sweep();
  EXPECT_EQ(owner.filter_entries(), 0u);
  EXPECT_EQ(owner.filter_bytes(), 0u);
}

TEST_F(OwnerTest, NothingOfADeadIncarnationIsHandledAfterItsDeath) {  // C2
  const Process reborn{kAlice.host, kAlice.slot, 2};
  data(0, 1, "a");
  owner.bury(kAlice);
  data(1, 2, "b");
  data(0, 1, "c", reborn);
  data(0, 1, "d", kBob);
  EXPECT_EQ(handled, "acd");
  EXPECT_EQ(owner.counters().from_the_dead, 1u);
  owner.set_now(2 * kFilterEntryLife);
  owner.bury(kBob);  // the first is so long ago that nothing of it can be under way
  data(1, 2, "e");
  EXPECT_EQ(handled, "acde");
}

TEST_F(OwnerTest, ADeathThatWasAnErrorIsTakenBack) {  // a busroot that had forgotten a grant
  owner.bury(kAlice);
  owner.revive(kAlice);
  data(0, 1, "a");
  EXPECT_EQ(handled, "a");
}

TEST_F(OwnerTest, RemembersABoundedNumberOfDeaths) {
  owner.bury(kAlice);
  for (std::uint32_t slot = 100; slot < 100 + kMaxDeaths; ++slot) owner.bury({1, slot, 1});
  data(0, 1, "a");
  EXPECT_EQ(handled, "a");
  data(0, 1, "b", {1, 100 + kMaxDeaths - 1, 1});
  EXPECT_EQ(handled, "a");
}

TEST_F(OwnerTest, ASenderThatRestartsWithoutEndTakesABoundedNumberOfRows) {
  const Process other{1, 7, 1};
  data(0, 1, "o", other);
  std::string expected = "o";
  for (std::uint64_t life = 1; life <= 10 * kMaxLives; ++life) {
    data(0, 1, "a", {1, 8, life});
    expected += "a";
    EXPECT_EQ(answers().size(), life == 1 ? 2u : 1u);
  }
  EXPECT_EQ(handled, expected);
  EXPECT_LE(owner.filter_entries(), kMaxLives + 2);
  data(0, 1, "x", {1, 8, 1});
  data(0, 1, "x", {1, 8, 10 * kMaxLives - kMaxLives / 2});
  data(0, 1, "x", other);
  EXPECT_EQ(handled, expected) << "nothing is handled twice";
}

TEST_F(OwnerTest, AnEntryWhoseAcknowledgementWaitsOutlivesTheSweep) {  // a long stop in between
  data(0, 1, "a");
  owner.set_now(2 * kFilterEntryLife);
  owner.sweep();
  EXPECT_THAT(answers(), ElementsAre("ack 1"));
}

}  // namespace
}  // namespace starbus::bus
