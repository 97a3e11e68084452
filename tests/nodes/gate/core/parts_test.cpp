// The small classes of a gate's record: window, tokens, order, requests, homes, announcements.
#include "tests/nodes/gate/core/fixture.hpp"

namespace starbus::nodes::gate {
namespace {

using namespace fixture;
using sessions::PartKind;

Mark mark_at(std::uint64_t n) {
  return {kBind, kRun, n};
}

TEST(PacketWindow, SilentPartsCountWithThePacketBefore) {
  PacketWindow window;
  window.silent(mark_at(1));
  EXPECT_EQ(window.take_credit(), mark_at(1));
  EXPECT_FALSE(window.take_credit());
  window.add(PacketKind::call, body_text("a"), mark_at(2), 0);
  window.silent(mark_at(3));
  window.add(PacketKind::spoken, body_text("b"), {}, 0);
  EXPECT_FALSE(window.take_credit());
  EXPECT_TRUE(window.holds(0));
  EXPECT_FALSE(window.holds(3));
  window.ack(1);
  EXPECT_EQ(window.take_credit(), mark_at(3));
  EXPECT_FALSE(window.holds(0));
  window.ack(2);
  EXPECT_FALSE(window.take_credit());
  EXPECT_EQ(window.bytes(), 0U);
}

TEST(PacketWindow, IsFullAtItsBounds) {
  PacketWindow bytes;
  const Body large = std::make_shared<const bus::Bytes>(kWindowBytes / 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(bytes.full());
    bytes.add(PacketKind::call, large, {}, 0);
  }
  EXPECT_TRUE(bytes.full());
  bytes.ack(1);
  EXPECT_FALSE(bytes.full());
  PacketWindow packets;
  for (std::size_t i = 0; i < kWindowPackets; ++i) {
    ASSERT_FALSE(packets.full());
    packets.add(PacketKind::call, body_text(""), {}, 0);
  }
  EXPECT_TRUE(packets.full());
}

TEST(TokenPair, TheNextOneErasesTheOther) {
  CountingKeys keys(1);
  TokenPair tokens;
  const Key first = tokens.issue(keys);
  const Key lost = tokens.issue(keys);
  const Key next = tokens.issue(keys);  // the client came back with the first
  EXPECT_EQ(tokens.fits(first), TokenFits::yes);
  EXPECT_EQ(tokens.fits(lost), TokenFits::no);
  EXPECT_EQ(tokens.fits(next), TokenFits::yes);
  tokens.used(first);
  EXPECT_EQ(tokens.fits(first), TokenFits::yes);
  tokens.used(next);
  EXPECT_EQ(tokens.fits(first), TokenFits::erased);
  EXPECT_EQ(tokens.fits(next), TokenFits::yes);
  EXPECT_EQ(tokens.fits({9, 9}), TokenFits::no);
  EXPECT_EQ(TokenPair().fits({}), TokenFits::no);
}

TEST(TokenPair, AnErasedTokenIsKnownForAWhile) {
  CountingKeys keys(1);
  TokenPair tokens;
  std::vector<Key> all{tokens.issue(keys)};
  for (std::size_t i = 0; i <= kTokensErased; ++i) {
    all.push_back(tokens.issue(keys));
    tokens.confirm();
  }
  EXPECT_EQ(tokens.fits(all[0]), TokenFits::no);
  EXPECT_EQ(tokens.fits(all[1]), TokenFits::erased);
  EXPECT_EQ(tokens.fits(all.back()), TokenFits::yes);
}

HeldPart held(std::uint64_t n, Run run = kRun, Bind bind = kBind, std::size_t size = 1) {
  return {{{1, 1}, 1, bind, run, "player/7"},
          kHome,
          n,
          {PartKind::call, std::make_shared<const bus::Bytes>(size)}};
}

TEST(PartOrder, GoesByBindRunAndNumber) {
  PartOrder order;
  EXPECT_EQ(order.put(held(1)), PartOrder::Put::early);
  EXPECT_EQ(order.put(held(1, kRun, {3, 2})), PartOrder::Put::early);
  const auto due = order.begin(kBind);
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(order.put(due[0]), PartOrder::Put::taken);
  EXPECT_EQ(order.put(held(3)), PartOrder::Put::taken);
  EXPECT_EQ(order.put(held(3)), PartOrder::Put::late);
  EXPECT_EQ(order.take()->n, 1U);
  EXPECT_FALSE(order.take());
  EXPECT_TRUE(order.hole());
  EXPECT_EQ(order.put(held(2)), PartOrder::Put::taken);
  EXPECT_EQ(order.take()->n, 2U);
  EXPECT_EQ(order.take()->n, 3U);
  EXPECT_FALSE(order.hole());
  EXPECT_EQ(order.put(held(2)), PartOrder::Put::late);
  EXPECT_EQ(order.put(held(5)), PartOrder::Put::taken);
  EXPECT_EQ(order.put(held(1, {5, 2})), PartOrder::Put::taken);  // drops what was held
  EXPECT_EQ(order.put(held(4)), PartOrder::Put::late);
  EXPECT_EQ(order.take()->at.run, (sessions::Run{5, 2}));
  EXPECT_FALSE(order.take());
  EXPECT_EQ(order.begin({3, 2}).size(), 1U);
  EXPECT_EQ(order.put(held(2, {5, 2})), PartOrder::Put::late);
}

TEST(PartOrder, TheNextOnePassesAtOnce) {
  PartOrder order;
  const auto pass = [&](const HeldPart& part) { return order.pass(part.at, part.home, part.n); };
  EXPECT_FALSE(pass(held(1))) << "of a bind that is not told yet";
  order.begin(kBind);
  EXPECT_FALSE(pass(held(1))) << "of a new run";
  EXPECT_EQ(order.put(held(1)), PartOrder::Put::taken);
  EXPECT_FALSE(pass(held(1))) << "it waits to be taken";
  EXPECT_TRUE(order.take());
  EXPECT_TRUE(pass(held(2)));
  EXPECT_EQ(order.next(), 3U);
  EXPECT_EQ(order.home(), kHome);
  EXPECT_FALSE(pass(held(2))) << "late";
  EXPECT_FALSE(pass(held(4))) << "a hole";
  EXPECT_EQ(order.put(held(4)), PartOrder::Put::taken);
  EXPECT_TRUE(pass(held(3)));
  EXPECT_EQ(order.take()->n, 4U) << "what it was missing for";
  EXPECT_FALSE(pass(held(5, kRun, {3, 0}))) << "of an earlier bind";
}

TEST(PartOrder, IsBounded) {
  PartOrder bytes;
  bytes.begin(kBind);
  EXPECT_EQ(bytes.put(held(2, kRun, kBind, kHeldBytes)), PartOrder::Put::taken);
  EXPECT_EQ(bytes.put(held(3)), PartOrder::Put::full);
  EXPECT_EQ(bytes.put(held(1)), PartOrder::Put::taken);  // the next one does not stay
  EXPECT_TRUE(bytes.take());
  EXPECT_TRUE(bytes.take());
  EXPECT_EQ(bytes.put(held(4)), PartOrder::Put::taken);

  PartOrder parts;
  parts.begin(kBind);
  for (std::size_t i = 0; i < kHeldParts; ++i) {
    ASSERT_EQ(parts.put(held(i + 2)), PartOrder::Put::taken);
  }
  EXPECT_EQ(parts.put(held(kHeldParts + 2)), PartOrder::Put::full);

  PartOrder early;
  for (std::size_t i = 0; i < kEarlyParts; ++i) {
    ASSERT_EQ(early.put(held(i + 1)), PartOrder::Put::early);
  }
  EXPECT_EQ(early.put(held(kEarlyParts + 1)), PartOrder::Put::full);
}

TEST(RequestTable, TakesEachOnceAndHoldsBackWhatIsTooMuch) {
  RequestTable requests;
  const bus::Bytes body(1);
  EXPECT_EQ(requests.take(1, {}, body), RequestTable::Take::dropped);  // no full state yet
  requests.full(kBind, 10, {9});
  EXPECT_EQ(requests.take(11, {3, 0}, body), RequestTable::Take::dropped);
  EXPECT_EQ(requests.take(10, kBind, body), RequestTable::Take::dropped);
  EXPECT_EQ(requests.take(12, kBind, body), RequestTable::Take::busy);
  for (std::uint64_t u = 11; u < 10 + sessions::kRequestsOpen; ++u) {
    ASSERT_EQ(requests.take(u, kBind, body), RequestTable::Take::taken);
    requests.ended(u);
  }
  const std::uint64_t next = requests.seen() + 1;
  EXPECT_EQ(requests.take(next, kBind, body), RequestTable::Take::busy);
  requests.replied(9);
  EXPECT_EQ(requests.take(next, kBind, body), RequestTable::Take::taken);
  EXPECT_EQ(requests.state().pending.size(), 1U);
  // A new run of the same bind: what its subject has begun and not answered.
  requests.full(kBind, next - 1, {12});
  EXPECT_EQ(requests.state().open, (boost::container::flat_set<std::uint64_t>{12, next}));
  EXPECT_EQ(requests.seen(), next);
  requests.full({3, 2}, 5, {});
  EXPECT_EQ(requests.seen(), 5U);
  EXPECT_TRUE(requests.state().pending.empty() && requests.state().open.empty());
}

TEST(HomeTable, KeepsAHandlePerHome) {
  HomeTable homes;
  const Introduction at{{1, 1}, 1, kBind, kRun, "player/7"};
  homes.introduce(kHome, 5, at);
  homes.introduce(kHome, 6, at);
  EXPECT_EQ(homes.find(kHome, 5), nullptr);
  ASSERT_NE(homes.find(kHome, 6), nullptr);
  EXPECT_EQ(homes.find(kHome2, 6), nullptr);
  // Drawn again for another session.
  Introduction other = at;
  other.session = {2, 2};
  homes.introduce(kHome, 6, other);
  EXPECT_EQ(homes.find(kHome, 6)->session, other.session);
  homes.introduce(kHome, 7, at);
  EXPECT_EQ(homes.find(kHome, 6)->session, other.session);
  // A former subject, in the same home, does not take its handle.
  for (std::uint32_t i = 1; i < kSubjectsOfHome; ++i) {
    Introduction former = at;
    former.subject = "player/" + std::to_string(100 + i);
    homes.introduce(kHome, 10 + i, former);
  }
  EXPECT_NE(homes.find(kHome, 7), nullptr);
  Introduction last = at;
  last.subject = "player/99";
  homes.introduce(kHome, 20, last);
  EXPECT_EQ(homes.find(kHome, 7), nullptr);
  homes.introduce(kHome, 7, at);
  for (std::uint32_t i = 0; i < kHomesOfSession; ++i) homes.introduce({9, i, 1}, 1, at);
  EXPECT_EQ(homes.find(kHome, 7), nullptr);
  EXPECT_NE(homes.find({9, 0, 1}, 1), nullptr);
  homes.forget(at.session);
  EXPECT_EQ(homes.find({9, 0, 1}, 1), nullptr);
  EXPECT_NE(homes.find(kHome, 6), nullptr);
}

TEST(HomeTable, RemembersDeaths) {
  HomeTable homes;
  const Introduction at{{1, 1}, 1, kBind, kRun, "player/7"};
  homes.introduce(kHome, 5, at);
  homes.died(kHome);
  EXPECT_TRUE(homes.dead(kHome));
  EXPECT_EQ(homes.find(kHome, 5), nullptr);
  const auto orphan = homes.next_of_dead();
  ASSERT_TRUE(orphan);
  EXPECT_EQ(orphan->first, at.session);
  EXPECT_FALSE(homes.next_of_dead());
  for (std::size_t i = 0; i < kDeathsKept; ++i) {
    homes.died({1, static_cast<std::uint32_t>(i), 1});
  }
  EXPECT_FALSE(homes.dead(kHome));
}

TEST(SpokenSeen, KnowsDoubles) {
  SpokenSeen seen;
  EXPECT_TRUE(seen.first(kHome, 100));
  EXPECT_FALSE(seen.first(kHome, 100));
  EXPECT_TRUE(seen.first(kHome, 102));
  EXPECT_TRUE(seen.first(kHome, 101));  // late, by way of another gate
  EXPECT_FALSE(seen.first(kHome, 101));
  EXPECT_FALSE(seen.first(kHome, 100));
  EXPECT_TRUE(seen.first(kHome, 166));
  EXPECT_FALSE(seen.first(kHome, 102));
  EXPECT_FALSE(seen.first(kHome, 101));  // too old to tell
  EXPECT_TRUE(seen.first(kHome, 1'000));
  EXPECT_TRUE(seen.first(kHome, 999));
  for (std::uint32_t i = 0; i < kOriginsKept; ++i) EXPECT_TRUE(seen.first({9, i, 1}, 1));
  EXPECT_EQ(seen.origins().size(), kOriginsKept);
  EXPECT_TRUE(seen.first(kHome, 1'000));  // forgotten
}

}  // namespace
}  // namespace starbus::nodes::gate
