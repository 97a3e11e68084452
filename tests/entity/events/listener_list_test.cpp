/// How much a list keeps of listeners that have gone, and when it puts itself right.
#include "entity/events/listener_list.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace starbus::entity {
namespace {

struct Numbered final : Listener {
  explicit Numbered(int n) : number(n) {}
  void drop_callable() override {}
  const int number;
};

std::vector<int> entries(const ListenerList::Pointer& list) {
  const ListenerList::Round round(list);
  std::vector<int> numbers;
  for (const auto& listener : round.listeners()) {
    numbers.push_back(static_cast<const Numbered&>(*listener).number);
  }
  return numbers;
}

TEST(ListenerListTest, CompactsAfterTheOutermostRoundInOrder) {
  const ListenerList::Pointer list(new ListenerList(new DispatchDepth));
  std::vector<ListenerId> ids;
  for (int i = 0; i < 2'000; ++i) ids.push_back(*list->add(new Numbered(i), 0));
  std::vector<int> stay;
  {
    std::optional<ListenerList::Round> outer(list), inner(list);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      // Every other one but the last, and the last two besides: 1,001.
      if (i % 2 == 0 || i == 1'999) {
        EXPECT_TRUE(list->remove(ids[i]));
      } else {
        stay.push_back(static_cast<int>(i));
      }
    }
    EXPECT_EQ(list->size(), 999u);
    inner.reset();
    EXPECT_EQ(outer->listeners().size(), 2'000u) << "a round goes through what it began with";
  }
  EXPECT_EQ(entries(list), stay);
}

TEST(ListenerListTest, KeepsAtMostAsManyRemovedAsListening) {
  const ListenerList::Pointer list(new ListenerList(new DispatchDepth));
  std::vector<ListenerId> ids;
  for (int i = 0; i < 2'000; ++i) ids.push_back(*list->add(new Numbered(i), 0));
  for (const ListenerId id : ids) {
    EXPECT_TRUE(list->remove(id));
    EXPECT_LE(entries(list).size(), 2 * list->size());
  }
}

}  // namespace
}  // namespace starbus::entity
