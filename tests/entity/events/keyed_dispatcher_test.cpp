/// Keys of enums and texts, types of data, and what keys share.
#include "entity/events/keyed_dispatcher.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <string>

namespace starbus::entity {
namespace {

using testing::ElementsAre;

enum class A : int { minus = -1, x = 1, y = 2 };
enum class B : unsigned char { x = 1 };

class KeyedDispatcherTest : public testing::Test {
 protected:
  auto note(std::string text) {
    return [this, text = std::move(text)](const auto&) { log.push_back(text); };
  }
  std::vector<std::string> log;
  KeyedDispatcher events;
};

TEST_F(KeyedDispatcherTest, EqualValuesOfTwoEnumsAreTwoKeys) {
  (void)events.add<int>(A::x, note("A::x"));
  (void)events.add<int>(B::x, note("B::x"));
  (void)events.add<int>(A::minus, note("A::minus"));
  EXPECT_EQ(*events.dispatch(A::x, 1), 1u);
  EXPECT_EQ(*events.dispatch(B::x, 1), 1u);
  EXPECT_EQ(*events.dispatch(A::minus, 1), 1u);
  EXPECT_EQ(*events.dispatch(A::y, 1), 0u);
  EXPECT_THAT(log, ElementsAre("A::x", "B::x", "A::minus"));
}

TEST_F(KeyedDispatcherTest, TextsAreKeysByTheirContent) {
  const std::string name = std::string("open") + "ed";
  (void)events.add<int>("opened", note("opened"));
  (void)events.add<int>("", note("empty"));
  EXPECT_EQ(*events.dispatch(name, 1), 1u);
  EXPECT_EQ(*events.dispatch(std::string_view(name).substr(0, 4), 1), 0u);
  EXPECT_EQ(*events.dispatch("", 1), 1u);
  EXPECT_THAT(log, ElementsAre("opened", "empty"));
}

TEST_F(KeyedDispatcherTest, DataOfAnotherTypeIsNotDelivered) {
  (void)events.add<int>(A::x, note("int"));
  (void)events.add<std::string>(A::x, note("string"));
  EXPECT_EQ(*events.dispatch(A::x, 1L), 0u);
  EXPECT_EQ(*events.dispatch(A::x, std::string("text")), 1u);
  EXPECT_EQ(*events.dispatch(A::x, 5), 1u);
  EXPECT_THAT(log, ElementsAre("string", "int"));
}

TEST_F(KeyedDispatcherTest, HandlesAreOfTheirKey) {
  const auto x = *events.add<int>(A::x, note("x"));
  const auto y = *events.add<int>(A::y, note("y"), 1);
  EXPECT_NE(x, y);
  EXPECT_TRUE(events.set_priority(y, 2));
  EXPECT_TRUE(events.remove(x));
  EXPECT_FALSE(events.remove(x));
  EXPECT_FALSE(events.remove({}));
  EXPECT_FALSE(events.remove({x.id, 99}));
  EXPECT_EQ(events.size(), 1u);
  (void)events.dispatch(A::x, 1);
  (void)events.dispatch(A::y, 1);
  EXPECT_THAT(log, ElementsAre("y"));
}

// A new key within a round may move what the dispatcher keeps its keys in.
TEST_F(KeyedDispatcherTest, NewKeysWithinARound) {
  (void)events.add<int>("0", [this](const int&) {
    log.push_back("0");
    for (int i = 1; i < 1000; ++i) (void)events.add<int>(std::to_string(i), note("other"));
    EXPECT_EQ(*events.dispatch("500", 1), 1u);
  });
  (void)events.add<int>("0", note("last"));
  EXPECT_EQ(*events.dispatch("0", 1), 2u);
  EXPECT_THAT(log, ElementsAre("0", "other", "last"));
}

TEST_F(KeyedDispatcherTest, RoundsOfAllKeysNestTogether) {
  int calls = 0;
  for (int i = 0; i < 100; ++i) {
    (void)events.add<int>(std::to_string(i), [this, i, &calls](const int&) {
      ++calls;
      (void)events.dispatch(std::to_string((i + 1) % 100), 1);
    });
  }
  EXPECT_TRUE(events.dispatch("0", 1));
  EXPECT_EQ(calls, static_cast<int>(kMaxDispatchDepth));
}

TEST_F(KeyedDispatcherTest, MayEndWithinARound) {
  auto other = std::make_unique<KeyedDispatcher>();
  Subscription subscription = *other->subscribe<int>(A::y, note("y"));
  (void)other->add<int>(A::x, [&](const int&) {
    (void)other->dispatch(A::y, 1);
    other.reset();
  });
  (void)other->add<int>(A::x, [](const int&) { FAIL(); });
  EXPECT_EQ(*other->dispatch(A::x, 1), 1u);
  EXPECT_THAT(log, ElementsAre("y"));
}

TEST_F(KeyedDispatcherTest, HasALimitOfKeys) {
  for (std::uint64_t i = 0; i < kMaxEventKeys; ++i) {
    ASSERT_TRUE(events.add<int>(std::to_string(i), note("x")));
  }
  EXPECT_EQ(events.add<int>("one more", note("x")).error(), EventErrc::too_many_keys);
  EXPECT_EQ(events.subscribe<int>("one more", note("x")).error(), EventErrc::too_many_keys);
  EXPECT_TRUE(events.add<int>("7", note("x")));
  EXPECT_EQ(events.add<int>("7", nullptr).error(), EventErrc::no_callback);
}

}  // namespace
}  // namespace starbus::entity
