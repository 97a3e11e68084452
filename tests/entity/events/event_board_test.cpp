/// Who is told what a place announces, also when listeners change it meanwhile:
/// docs/guide/events.md.
#include "entity/events/event_board.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "entity/events/board_listener.hpp"

namespace starbus::entity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr OnlineId kTown{7};
enum class GateEvent : int { opened = 1, closed = 2 };
enum class Shop : int { opened = 1 };

class EventBoardTest : public testing::Test {
 protected:
  auto note(std::string text) {
    return [this, text = std::move(text)](const int&) { log.push_back(text); };
  }
  /// One more subject, at the town.
  BoardListener& arrive() {
    BoardListener& subject = subjects.emplace_back();
    EXPECT_TRUE(subject.attach(town));
    return subject;
  }
  std::vector<std::string> announce(const EventKey& key = GateEvent::opened) {
    log.clear();
    told = *town.announce(key, 1);
    return log;
  }
  std::vector<std::string> log;
  std::size_t told = 0;
  EventBoard town{kTown};
  std::deque<BoardListener> subjects;
};

TEST_F(EventBoardTest, CallsListenersInTheOrderOfAttaching) {
  BoardListener& a = arrive();
  BoardListener& b = arrive();
  BoardListener& c = arrive();
  arrive();
  (void)c.add<int>(GateEvent::opened, note("c"));
  (void)a.add<int>(GateEvent::opened, note("a"));
  (void)b.add<int>(GateEvent::closed, note("b"));
  (void)a.add<int>(Shop::opened, note("shop"));
  EXPECT_EQ(town.size(), 4u);
  EXPECT_THAT(announce(GateEvent::opened), ElementsAre("c", "a"));
  EXPECT_EQ(told, 2u);
  EXPECT_THAT(announce(GateEvent::closed), ElementsAre("b"));
  EXPECT_THAT(announce("gate"), IsEmpty());
  EXPECT_EQ(town.number(), 3u) << "also what nobody waits for has a number";
}

TEST_F(EventBoardTest, ASubjectIsListedOnceAndAllItsListenersAreCalled) {
  BoardListener& a = arrive();
  BoardListener& b = arrive();
  const auto first = *a.add<int>(GateEvent::opened, note("a1"));
  const auto second = *a.add<int>(GateEvent::opened, note("a2"), 1);
  (void)b.add<int>(GateEvent::opened, note("b"));
  EXPECT_EQ(town.size(), 2u);
  EXPECT_EQ(a.size(), 2u);
  EXPECT_THAT(announce(), ElementsAre("a2", "a1", "b"));
  EXPECT_EQ(told, 2u);

  EXPECT_TRUE(a.remove(first));
  EXPECT_FALSE(a.remove(first));
  EXPECT_EQ(town.size(), 2u);
  EXPECT_THAT(announce(), ElementsAre("a2", "b"));
  EXPECT_TRUE(a.remove(second));
  EXPECT_EQ(town.size(), 1u);
  EXPECT_THAT(announce(), ElementsAre("b"));
  (void)a.add<int>(GateEvent::opened, note("again"));
  EXPECT_THAT(announce(), ElementsAre("b", "again")) << "who comes back stands at the end";
}

TEST_F(EventBoardTest, DataOfAnotherTypeIsNotDelivered) {
  BoardListener& a = arrive();
  (void)a.add<int>(GateEvent::opened, note("int"));
  (void)a.add<std::string>(GateEvent::opened,
                           [this](const std::string& text) { log.push_back(text); });
  EXPECT_EQ(*town.announce(GateEvent::opened, 1L), 0u);
  EXPECT_EQ(*town.announce(GateEvent::opened, std::string("text")), 1u);
  EXPECT_THAT(log, ElementsAre("text"));
}

TEST_F(EventBoardTest, ListenersGoWithTheirSubject) {
  EventBoard dungeon(OnlineId{8});
  BoardListener& a = arrive();
  (void)a.add<int>("bell", note("a"));
  ASSERT_TRUE(a.attach(dungeon));
  EXPECT_THAT(announce("bell"), IsEmpty());
  EXPECT_EQ(town.size(), 0u);
  EXPECT_EQ(*dungeon.announce("bell", 1), 1u);
  a.detach();
  a.detach();
  EXPECT_FALSE(a.attached());
  EXPECT_EQ(*dungeon.announce("bell", 1), 0u);
  (void)a.add<int>("drum", note("drum"));
  ASSERT_TRUE(a.attach(town));
  EXPECT_THAT(announce("drum"), ElementsAre("drum"));
}

TEST_F(EventBoardTest, AListenerRemovesItselfAndOthers) {
  BoardListener& a = arrive();
  BoardListener& b = arrive();
  BoardListener& c = arrive();
  KeyedListenerId self, later, last;
  auto owned = std::make_shared<int>(0);
  self = *a.add<int>(GateEvent::opened, [&, owned](const int&) {
    EXPECT_TRUE(a.remove(self));
    EXPECT_TRUE(a.remove(later)) << "of its own subject";
    EXPECT_TRUE(c.remove(last)) << "and the only one of another";
    EXPECT_EQ(owned.use_count(), 2) << "what it owns lives while it runs";
    log.push_back("once");
  });
  later = *a.add<int>(GateEvent::opened, note("later"));
  (void)b.add<int>(GateEvent::opened, note("b"));
  last = *c.add<int>(GateEvent::opened, note("c"));
  EXPECT_THAT(announce(), ElementsAre("once", "b"));
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(town.size(), 1u);
  EXPECT_THAT(announce(), ElementsAre("b"));
}

TEST_F(EventBoardTest, NewListenersJoinTheNextRound) {
  BoardListener& a = arrive();
  BoardListener& b = arrive();
  bool first = true;
  (void)a.add<int>(GateEvent::opened, [&](const int&) {
    log.push_back("a");
    if (!std::exchange(first, false)) return;
    (void)a.add<int>(GateEvent::opened, note("a2"));
    (void)b.add<int>(GateEvent::opened, note("b"));
    (void)arrive().add<int>(GateEvent::opened, note("new"));
    (void)b.add<int>(GateEvent::closed, note("closed"));
    for (int i = 0; i < 100; ++i) (void)a.add<int>(std::to_string(i), note("other"));
  });
  EXPECT_THAT(announce(), ElementsAre("a"));
  EXPECT_THAT(announce(), ElementsAre("a", "a2", "b", "new"));
  EXPECT_THAT(announce(GateEvent::closed), ElementsAre("closed"));
  EXPECT_THAT(announce("50"), ElementsAre("other"));
}

// Its own listeners are a round of its own, which begins when its turn comes.
TEST_F(EventBoardTest, KeysAddedToLaterListenersAreCalled) {
  BoardListener& a = arrive();
  BoardListener& b = arrive();
  (void)a.add<int>(GateEvent::opened,
                   [&](const int&) { (void)b.add<int>(GateEvent::opened, note("b2")); });
  (void)b.add<int>(GateEvent::opened, note("b1"));
  EXPECT_THAT(announce(), ElementsAre("b1", "b2"));
}

TEST_F(EventBoardTest, AnnouncesWithinAnAnnouncement) {
  for (const std::string name : {"a", "b"}) {
    BoardListener& subject = arrive();
    (void)subject.add<int>(GateEvent::opened, [this, name](const int& depth) {
      log.push_back(name + std::to_string(depth));
      if (name == "a" && depth < 2) {
        EXPECT_EQ(*town.announce(GateEvent::opened, depth + 1), 2u);
      }
    });
  }
  EXPECT_EQ(*town.announce(GateEvent::opened, 0), 2u);
  EXPECT_THAT(log, ElementsAre("a0", "a1", "a2", "b2", "b1", "b0"))
      << "the higher number, which is told first, does not hide the lower ones";
  EXPECT_EQ(town.number(), 3u);
}

TEST_F(EventBoardTest, AnnouncementsNestToALimit) {
  std::size_t calls = 0, refused = 0;
  BoardListener& a = arrive();
  (void)a.add<int>(GateEvent::opened, [&](const int&) {
    ++calls;
    const auto inner = town.announce(GateEvent::opened, 1);
    if (inner) return;
    EXPECT_EQ(inner.error(), EventErrc::too_deep);
    ++refused;
  });
  EXPECT_EQ(*town.announce(GateEvent::opened, 1), 1u);
  EXPECT_EQ(calls, kMaxDispatchDepth);
  EXPECT_EQ(refused, 1u);
  EXPECT_EQ(town.number(), kMaxDispatchDepth) << "what was refused has used no number";
  EXPECT_EQ(*town.announce(GateEvent::opened, 1), 1u) << "the depth is what it was";
}

TEST_F(EventBoardTest, AnExceptionLeavesItAndTheBoardIsAsUsableAsBefore) {
  BoardListener& a = arrive();
  BoardListener& b = arrive();
  const auto thrower =
      *a.add<int>(GateEvent::opened, [](const int&) { throw std::runtime_error("a bug"); });
  (void)b.add<int>(GateEvent::opened, note("b"));
  for (std::size_t i = 0; i < 2 * kMaxDispatchDepth; ++i) {
    EXPECT_THROW((void)town.announce(GateEvent::opened, 1), std::runtime_error);
  }
  a.remove(thrower);
  EXPECT_THAT(announce(), ElementsAre("b"));
}

TEST_F(EventBoardTest, LeavingListenersChangeNoOrder) {
  std::vector<std::string> stay;
  std::vector<std::pair<BoardListener*, KeyedListenerId>> gone;
  for (int i = 0; i < 3'000; ++i) {
    const std::string name = std::to_string(i);
    BoardListener& subject = arrive();
    const auto id = *subject.add<int>(GateEvent::opened, note(name));
    if (i % 3 == 0) {
      stay.push_back(name);
    } else {
      gone.emplace_back(&subject, id);
    }
  }
  // Half of them while it announces.
  (void)arrive().add<int>(GateEvent::closed, [&](const int&) {
    for (std::size_t i = 0; i < gone.size(); i += 2) gone[i].first->remove(gone[i].second);
  });
  announce(GateEvent::closed);
  for (std::size_t i = 1; i < gone.size(); i += 2) gone[i].first->remove(gone[i].second);
  EXPECT_EQ(announce(), stay);
  EXPECT_EQ(told, 1'000u);
}

TEST_F(EventBoardTest, LimitsAreErrorsOfAttaching) {
  BoardListener& crowd = arrive();
  for (std::uint64_t i = 0; i < kMaxEventKeys; ++i) {
    ASSERT_TRUE(crowd.add<int>(std::to_string(i), note("x")));
  }
  EXPECT_EQ(crowd.add<int>("one more", note("x")).error(), EventErrc::too_many_keys);

  BoardListener& a = arrive();
  EXPECT_EQ(a.add<int>("one more", note("x")).error(), EventErrc::too_many_keys);
  EXPECT_EQ(a.size(), 0u) << "what was refused is not kept";
  EXPECT_EQ(a.add<int>("7", nullptr).error(), EventErrc::no_callback);
  a.detach();
  ASSERT_TRUE(a.add<int>("7", note("seven")));
  ASSERT_TRUE(a.add<int>("one more", note("x")));
  EXPECT_EQ(a.attach(town).error(), EventErrc::too_many_keys);
  EXPECT_FALSE(a.attached());
  EXPECT_EQ(town.size(), kMaxEventKeys) << "and nothing of it is listed";
  EventBoard other(OnlineId{9});
  EXPECT_TRUE(a.attach(other));
  EXPECT_EQ(*other.announce("7", 1), 1u);
}

}  // namespace
}  // namespace starbus::entity
