// What a link says first when its client takes less than it could be told.
#include <map>
#include <random>

#include "tests/entity/client/fixture.hpp"

namespace starbus::entity::sessions {
namespace {

using namespace fixture;

std::string texts(const Droppables& updates) {
  std::string all;
  updates.each([&](const Body& body) {
    all.append(bus::as_text(*body)).append(" ");
    return true;
  });
  return all;
}

TEST(DroppablesTest, TheNewestOfASlotKeepsItsPlace) {
  Droppables updates;
  const LinkTime now{1'000};
  updates.put(1, {}, bytes_of("a1"), now);
  updates.put(2, {}, bytes_of("b1"), now);
  updates.put(3, {LinkTime(500), 9}, bytes_of("c1"), now);
  updates.put(1, {}, bytes_of("a2"), now);
  EXPECT_EQ(texts(updates), "c1 a2 b1 ");
  updates.put(2, {LinkTime(500), 9}, bytes_of("b2"), now);  // of another priority: the last there
  EXPECT_EQ(texts(updates), "c1 b2 a2 ");
  updates.erase(3);
  updates.erase(3);
  updates.expire(now + LinkTime(499));
  EXPECT_EQ(texts(updates), "b2 a2 ");
  updates.expire(now + LinkTime(500));
  EXPECT_EQ(texts(updates), "a2 ");
  EXPECT_EQ(updates.counters(), (DropCounters{0, 2, 1, 0}));
  EXPECT_EQ(updates.bytes(), 2U);
}

TEST(DroppablesTest, AreBounded) {
  Droppables updates;
  for (std::uint64_t slot = 0; slot <= kDroppableSlots; ++slot) {
    updates.put(slot, {kNeverOld, slot == kDroppableSlots ? std::uint8_t{1} : std::uint8_t{0}},
                bytes_of("x"), LinkTime(0));
  }
  EXPECT_EQ(updates.size(), kDroppableSlots);
  EXPECT_EQ(updates.counters().crowded, 1U);
  updates.put(7, {}, std::make_shared<const bus::Bytes>(kDroppableBytes - 100), LinkTime(0));
  EXPECT_LE(updates.bytes(), kDroppableBytes);
  EXPECT_GT(updates.size(), 50U);
}

TEST(DroppablesTest, TravelWithWhatIsLeftOfTheirTime) {
  Droppables here;
  here.put(1, {LinkTime(500), 3}, bytes_of("a"), LinkTime(1'000));
  here.put(2, {kNeverOld, 7}, bytes_of("b"), LinkTime(1'000));
  Droppables there;
  there.unpack(here.pack(LinkTime(1'200)), LinkTime(9'000));
  EXPECT_EQ(texts(there), "b a ");
  there.expire(LinkTime(9'299));
  EXPECT_EQ(there.size(), 2U);
  there.expire(LinkTime(9'300));
  EXPECT_EQ(texts(there), "b ");
}

class DownlinkTest : public LinkTest {
 protected:
  DownlinkTest() { link(); }
  void update(std::uint64_t slot, std::string_view text, DropRule rule = {}) {
    ASSERT_TRUE(link_.droppable(slot, rule, bytes_of(text), now_, effects_));
  }
  /// The client acknowledges all; it may have so many bytes more.
  void credit(std::uint64_t bytes) {
    const LinkState& state = link_.state();
    gate(Credit{kSession, state.bind, state.run, state.next - 1, bytes});
  }
  /// No credit is left.
  void close() {
    ASSERT_TRUE(link_.call(std::make_shared<const bus::Bytes>(kFirstCredit), effects_));
    ASSERT_EQ(kinds(), "call");
  }
};

TEST_F(DownlinkTest, CallsGoFirstAndUpdatesWaitForCredit) {
  update(1, "here");
  ASSERT_TRUE(link_.call(bytes_of("a"), effects_));
  ASSERT_TRUE(link_.call(bytes_of("b"), effects_));
  const auto parts = flush();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(*parts[0].body, *bytes_of("a"));
  EXPECT_EQ(*parts[2].body, *bytes_of("here"));
  close();
  update(1, "there");
  EXPECT_FALSE(link_.ready());
  ASSERT_TRUE(link_.call(bytes_of("c"), effects_));
  EXPECT_EQ(kinds(), "call");
  update(1, "elsewhere");
  credit(1'000);
  const auto after = flush();
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(*after[0].body, *bytes_of("elsewhere"));
  EXPECT_EQ(link_.droppables().counters(), (DropCounters{2, 1, 0, 0}));
}

TEST_F(DownlinkTest, WhatIsGoneIsNotTold) {
  close();
  update(1, "here");
  update(2, "old", {LinkTime(200), 0});
  link_.drop(1);
  now_ += LinkTime(200);
  credit(1'000);
  link_.expire(now_);
  EXPECT_FALSE(link_.ready());
}

TEST_F(DownlinkTest, UpdatesTravelAndAreNotForAnotherClient) {
  close();
  update(1, "here", {kNeverOld, 0});
  move(6);
  credit(1'000);
  EXPECT_EQ(kinds(), "idle call");
  close();
  update(1, "there", {kNeverOld, 0});
  ASSERT_EQ(account(set(2, kOther, 2)).kind, AnswerKind::ok);
  EXPECT_EQ(kinds(), "full");
}

TEST_F(DownlinkTest, AnUpdateIsRefusedLikeACallButNeverEndsTheSession) {
  const Body large = std::make_shared<const bus::Bytes>(kDroppableBytes + 1);
  EXPECT_EQ(link_.droppable(1, {}, large, now_, effects_).error(), SessionErrc::too_large);
  link_.freeze(now_);
  EXPECT_EQ(link_.droppable(1, {}, bytes_of("x"), now_, effects_).error(), SessionErrc::frozen);
  link_.thaw(effects_);
  link_.let_go(Reason::ended, effects_);
  EXPECT_EQ(link_.droppable(1, {}, bytes_of("x"), now_, effects_).error(), SessionErrc::no_client);
}

TEST_F(DownlinkTest, SmallUpdatesLeavePlaceForCalls) {
  credit(kMostCredit);
  for (std::uint64_t slot = 0; slot < 2 * kSoftParts; ++slot) {
    update(slot % kDroppableSlots, "x");
    flush();
  }
  EXPECT_EQ(link_.state().sizes.size(), kSoftParts);
  EXPECT_FALSE(link_.wants_news());
  ASSERT_TRUE(link_.call(bytes_of("a"), effects_));
  EXPECT_EQ(kinds(), "call");
}

/// Each is large enough to take all credit at a time: neither starves the other.
TEST_F(DownlinkTest, PropertiesAndUpdatesShareWhatThereIs) {
  std::map<std::string, std::size_t> bytes;
  const std::string update_text(3'000, 'u');
  for (int round = 0; round < 400; ++round) {
    for (std::uint64_t slot = 0; slot < 5; ++slot) update(slot, update_text);
    if (link_.wants_news()) {
      link_.news(std::make_shared<const bus::Bytes>(10'000), effects_);
    } else {
      link_.note_news(true);
    }
    for (const Part& part : flush()) bytes[std::string(name_of(part.kind))] += part.body->size();
    if (link_.news_due()) {
      link_.news(std::make_shared<const bus::Bytes>(10'000), effects_);
      for (const Part& part : flush()) bytes[std::string(name_of(part.kind))] += part.body->size();
    }
    credit(4'000);
  }
  EXPECT_GT(bytes["news"], 400'000U);
  EXPECT_GT(bytes["call"], 400'000U);
  EXPECT_LT(bytes["news"], 2 * bytes["call"]);
  EXPECT_LT(bytes["call"], 2 * bytes["news"]);
}

TEST_F(DownlinkTest, SightThatWaitsIsNotStarvedByUpdates) {
  std::map<std::string, std::size_t> bytes;
  const std::string update_text(3'000, 'u');
  for (int tick = 0; tick < 400; ++tick) {
    for (std::uint64_t slot = 0; slot < 5; ++slot) update(slot, update_text);
    static_cast<void>(link_.sight(std::make_shared<const bus::Bytes>(10'000), effects_));
    for (const Part& part : flush()) bytes[std::string(name_of(part.kind))] += part.body->size();
    credit(4'000);
  }
  EXPECT_GT(bytes["sight"], 400'000U);
  EXPECT_GT(bytes["call"], 400'000U);
}

/// Random words, with an oracle: every call in order; of each slot a growing subsequence, none too
/// old; the newest state at the end.
TEST_F(DownlinkTest, HoldsWhateverTheClientTakes) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t most) { return random() % most; };
    ASSERT_EQ(account(set(seed + 1)).kind, AnswerKind::ok);
    std::uint64_t state = 0, told = 0, calls = 0, shown_calls = 0, version = 0;
    std::map<std::uint64_t, std::pair<std::uint64_t, LinkTime>> shown;  // per slot: version
    const auto news = [&] {
      told = state;
      link_.news(bytes_of(std::to_string(state) + std::string(below(20'000), ' ')), effects_);
    };
    const auto show = [&] {
      link_.expire(now_);
      for (const Part& part : flush()) {
        const std::string text(bus::as_text(*part.body));
        if (part.kind == PartKind::full) told = state;
        if (part.kind != PartKind::call) continue;
        if (text[0] == 'c') {
          EXPECT_EQ(text, "c" + std::to_string(++shown_calls));
        } else {
          std::uint64_t slot = 0, number = 0, born = 0;
          ASSERT_EQ(std::sscanf(text.c_str(), "u%lu %lu %lu", &slot, &number, &born), 3);
          EXPECT_GT(number, shown[slot].first);
          shown[slot].first = number;
          EXPECT_LT(now_.count() - static_cast<std::int64_t>(born), slot == 0 ? 1'000'000 : 300);
        }
      }
      if (link_.news_due()) news();
    };
    for (int step = 0; step < 400; ++step) {
      const std::uint64_t roll = below(10);
      if (roll < 3) {
        ASSERT_TRUE(link_.call(bytes_of("c" + std::to_string(++calls)), effects_));
      } else if (roll < 6) {
        const std::uint64_t slot = below(4);
        const std::string text = "u" + std::to_string(slot) + " " + std::to_string(++version) +
                                 " " + std::to_string(now_.count()) +
                                 std::string(below(5'000), ' ');
        update(slot, text, {slot == 0 ? kNeverOld : LinkTime(300), std::uint8_t(below(2))});
      } else if (roll < 8) {
        ++state;
        link_.wants_news() ? news() : link_.note_news(true);
      } else if (roll == 8) {
        show();
      } else {
        now_ += LinkTime(below(200));
        if (below(3) == 0) credit(below(30'000));
      }
    }
    for (int i = 0; i < 20; ++i) {
      credit(kFirstCredit);
      show();
    }
    EXPECT_EQ(shown_calls, calls) << "seed " << seed;
    EXPECT_EQ(told, state) << "seed " << seed;
    EXPECT_TRUE(link_.droppables().empty()) << "seed " << seed;
    effects_ = {};
  }
}

}  // namespace
}  // namespace starbus::entity::sessions
