/// The promises of docs/guide/events.md for one kind of event, one by one.
#include "entity/events/dispatcher.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "tests/thrown_log.hpp"

namespace starbus::entity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Rang {
  int times = 1;
};

class DispatcherTest : public testing::Test {
 protected:
  auto note(std::string text) {
    return [this, text = std::move(text)](const Rang&) { log.push_back(text); };
  }
  std::vector<std::string> round() {
    log.clear();
    const std::size_t called = *bell.dispatch({});
    EXPECT_EQ(called, log.size());
    return log;
  }
  std::vector<std::string> log;
  Dispatcher<Rang> bell;
};

TEST_F(DispatcherTest, CallsInOrderOfPriorityAndThenOfAdding) {
  (void)bell.add(note("b1"));
  (void)bell.add(note("a1"), 5);
  (void)bell.add(note("c"), -5);
  (void)bell.add(note("b2"));
  (void)bell.add(note("a2"), 5);
  EXPECT_THAT(round(), ElementsAre("a1", "a2", "b1", "b2", "c"));
}

TEST_F(DispatcherTest, PassesTheEvent) {
  int sum = 0;
  (void)bell.add([&](const Rang& rang) { sum += rang.times; });
  (void)bell.dispatch({3});
  (void)bell.dispatch({4});
  EXPECT_EQ(sum, 7);
}

TEST_F(DispatcherTest, WithoutListenersIsAPointerThatDoesNothing) {
  EXPECT_THAT(round(), IsEmpty());
  EXPECT_FALSE(bell.remove({}));
  EXPECT_FALSE(bell.remove({1, 0}));
  EXPECT_EQ(bell.size(), 0u);
  EXPECT_LE(sizeof bell, 2 * sizeof(void*));
}

TEST_F(DispatcherTest, RemovedListenersAreNotCalled) {
  const ListenerId a = *bell.add(note("a"));
  (void)bell.add(note("b"));
  EXPECT_TRUE(bell.remove(a));
  EXPECT_FALSE(bell.remove(a));
  EXPECT_THAT(round(), ElementsAre("b"));
}

TEST_F(DispatcherTest, AMutedListenerIsPassedByAndKeepsItsPlace) {
  Subscription first = *bell.subscribe(note("a"));
  (void)bell.add(note("b"));
  first.mute(true);
  EXPECT_THAT(round(), ElementsAre("b"));
  EXPECT_TRUE(first.active());
  first.mute(false);
  EXPECT_THAT(round(), ElementsAre("a", "b"));
  Subscription none;
  none.mute(true);
}

TEST_F(DispatcherTest, StaleHandlesRemoveNothing) {
  const ListenerId old = *bell.add(note("old"));
  bell.remove(old);
  const ListenerId fresh = *bell.add(note("new"));
  ASSERT_EQ(old.index, fresh.index) << "the place is used again";
  EXPECT_FALSE(bell.remove(old));
  EXPECT_FALSE(bell.set_priority(old, 1));
  EXPECT_THAT(round(), ElementsAre("new"));
}

TEST_F(DispatcherTest, AListenerRemovesItself) {
  ListenerId id;
  auto owned = std::make_shared<int>(0);
  (void)bell.add(note("before"));
  id = *bell.add([&, owned](const Rang&) {
    EXPECT_TRUE(bell.remove(id));
    EXPECT_FALSE(bell.remove(id));
    EXPECT_EQ(owned.use_count(), 2) << "what it owns lives while it runs";
    log.push_back("once");
  });
  (void)bell.add(note("behind"));
  EXPECT_THAT(round(), ElementsAre("before", "once", "behind"));
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_THAT(round(), ElementsAre("before", "behind"));
}

TEST_F(DispatcherTest, AListenerRemovesOthers) {
  ListenerId first, last;
  first = *bell.add(note("first"));
  (void)bell.add([&](const Rang&) {
    bell.remove(first);
    bell.remove(last);
    log.push_back("remover");
  });
  last = *bell.add(note("last"));
  EXPECT_THAT(round(), ElementsAre("first", "remover"));
  EXPECT_THAT(round(), ElementsAre("remover"));
}

TEST_F(DispatcherTest, ListenersAddedMeanwhileJoinTheNextRound) {
  (void)bell.add([&](const Rang&) {
    log.push_back("adder");
    if (bell.size() == 1) {
      (void)bell.add(note("before"), 10);
      (void)bell.add(note("behind"), -10);
    }
  });
  EXPECT_THAT(round(), ElementsAre("adder"));
  EXPECT_THAT(round(), ElementsAre("before", "adder", "behind"));
}

TEST_F(DispatcherTest, ANestedRoundCallsListenersAddedBeforeIt) {
  (void)bell.add([&](const Rang& rang) {
    log.push_back("outer" + std::to_string(rang.times));
    if (rang.times == 2) return;
    (void)bell.add(note("added"));
    EXPECT_EQ(*bell.dispatch({2}), 3u);
    log.push_back("end");
  });
  (void)bell.add(note("other"));
  (void)bell.dispatch({1});
  EXPECT_THAT(log, ElementsAre("outer1", "outer2", "other", "added", "end", "other"));
}

TEST_F(DispatcherTest, ListenersRemovedByANestedRoundAreNotCalled) {
  ListenerId victim;
  (void)bell.add([&](const Rang& rang) {
    if (rang.times == 1) (void)bell.dispatch({2});
    if (rang.times == 2) bell.remove(victim);
  });
  victim = *bell.add([](const Rang&) { FAIL(); });
  (void)bell.add(note("last"));
  (void)bell.dispatch({1});
  EXPECT_THAT(log, ElementsAre("last", "last"));
}

TEST_F(DispatcherTest, PrioritiesMayBeChangedAlsoMeanwhile) {
  const ListenerId a = *bell.add(note("a"));
  const ListenerId b = *bell.add([&](const Rang&) {
    log.push_back("b");
    bell.set_priority(a, -1);
  });
  (void)bell.add(note("c"));
  EXPECT_TRUE(bell.set_priority(b, 7));
  EXPECT_THAT(round(), ElementsAre("b", "a", "c")) << "the order of a round is that of its begin";
  EXPECT_THAT(round(), ElementsAre("b", "c", "a"));
  EXPECT_TRUE(bell.set_priority(a, 0)) << "behind those that have it already";
  EXPECT_TRUE(bell.set_priority(b, 7));
  log.clear();
}

TEST_F(DispatcherTest, RoundsNestToALimit) {
  std::size_t calls = 0;
  std::size_t refused = 0;
  (void)bell.add([&](const Rang&) {
    ++calls;
    const auto inner = bell.dispatch({});
    if (!inner) {
      EXPECT_EQ(inner.error(), EventErrc::too_deep);
      ++refused;
    }
  });
  EXPECT_TRUE(bell.dispatch({}));
  EXPECT_EQ(calls, kMaxDispatchDepth);
  EXPECT_EQ(refused, 1u);
  EXPECT_TRUE(bell.dispatch({})) << "the depth is what it was";
}

TEST_F(DispatcherTest, AnExceptionRestoresTheDepth) {
  const ListenerId thrower = *bell.add([](const Rang&) { throw std::runtime_error("a bug"); });
  auto owned = std::make_shared<int>(0);
  (void)bell.add([&, owned](const Rang&) { log.push_back("behind"); });
  for (std::size_t i = 0; i < 2 * kMaxDispatchDepth; ++i) {
    EXPECT_THROW((void)bell.dispatch({}), std::runtime_error);
  }
  EXPECT_TRUE(bell.remove(thrower));
  EXPECT_THAT(round(), ElementsAre("behind"));
}

TEST_F(DispatcherTest, WithAGuardTheOtherListenersOfTheRoundAreCalled) {
  starbus::test::ThrownLog thrown;
  (void)bell.add([](const Rang&) { throw std::runtime_error("a bug"); });
  (void)bell.add(note("behind"));
  EXPECT_EQ(*bell.dispatch({}), 2u) << "both were called";
  EXPECT_THAT(log, ElementsAre("behind"));
  EXPECT_THAT(thrown.lines, ElementsAre("listener: a bug"));
  EXPECT_THAT(thrown.places.front(), testing::HasSubstr("Rang"));
}

TEST_F(DispatcherTest, SubscriptionsEndTheirListeners) {
  auto owned = std::make_shared<int>(0);
  Subscription kept;
  {
    Subscription a = *bell.subscribe([this, owned](const Rang&) { log.push_back("a"); });
    kept = *bell.subscribe(note("b"));
    EXPECT_TRUE(a.active());
    EXPECT_THAT(round(), ElementsAre("a", "b"));
  }
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_THAT(round(), ElementsAre("b"));
  Subscription moved = std::move(kept);
  EXPECT_THAT(round(), ElementsAre("b"));
  moved = *bell.subscribe(note("c"));
  EXPECT_THAT(round(), ElementsAre("c"));
  moved.reset();
  moved.reset();
  EXPECT_FALSE(moved.active());
  EXPECT_THAT(round(), IsEmpty());
}

TEST_F(DispatcherTest, SubscriptionsMayOutliveTheirDispatcher) {
  auto other = std::make_unique<Dispatcher<Rang>>();
  auto owned = std::make_shared<int>(0);
  Subscription subscription = *other->subscribe([owned](const Rang&) {});
  other.reset();
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_FALSE(subscription.active());
}

TEST_F(DispatcherTest, MayEndWithinItsOwnListener) {
  auto other = std::make_unique<Dispatcher<Rang>>();
  auto owned = std::make_shared<int>(0);
  (void)other->add([&, owned](const Rang&) {
    other.reset();
    EXPECT_EQ(owned.use_count(), 2);
    log.push_back("ended");
  });
  (void)other->add([](const Rang&) { FAIL(); });
  EXPECT_EQ(*other->dispatch({}), 1u);
  EXPECT_THAT(log, ElementsAre("ended"));
  EXPECT_EQ(owned.use_count(), 1);
}

// The callable of a listener may own what comes back to the dispatcher when it ends.
TEST_F(DispatcherTest, ListenersMayOwnListeners) {
  auto inner = std::make_shared<Subscription>(*bell.subscribe(note("inner")));
  auto held = std::make_shared<Subscription>();
  *held = *bell.subscribe([inner](const Rang&) {});
  inner.reset();
  EXPECT_EQ(bell.size(), 2u);
  held.reset();
  EXPECT_EQ(bell.size(), 0u);
  // And it may be the dispatcher itself.
  auto self = std::make_shared<Dispatcher<Rang>>();
  const ListenerId id = *self->add([self](const Rang&) {});
  Dispatcher<Rang>& reference = *self;
  self.reset();
  EXPECT_TRUE(reference.remove(id));
}

TEST_F(DispatcherTest, RefusesTooManyAndEmptyListeners) {
  EXPECT_EQ(bell.add(nullptr).error(), EventErrc::no_callback);
  std::vector<ListenerId> ids;
  for (std::uint64_t i = 0; i < kMaxListeners; ++i) ids.push_back(*bell.add([](const Rang&) {}));
  EXPECT_EQ(bell.add(note("x")).error(), EventErrc::too_many_listeners);
  std::mt19937 random(3);
  std::shuffle(ids.begin(), ids.end(), random);
  for (const ListenerId id : ids) EXPECT_TRUE(bell.remove(id));
  EXPECT_TRUE(bell.add(note("x")));
  EXPECT_THAT(round(), ElementsAre("x"));
}

}  // namespace
}  // namespace starbus::entity
