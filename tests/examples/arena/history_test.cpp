/// What the operator's view of the arena takes for a travel, a death, and a return.
#include "examples/arena/operator/history.hpp"

#include <gmock/gmock.h>

#include <string>

namespace arena::view {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const History& history, std::uint64_t after = 0) {
  std::vector<std::string> all;
  for (const Event& event : history.after(after, History::kKept)) {
    std::string text = std::string(name_of(event.what)) + " " + event.who;
    if (!event.to.empty()) {
      text += ": " + event.from + "@" + event.leaves + " " + event.to + "@" + event.goes;
    }
    all.push_back(text);
  }
  return all;
}

TEST(ArenaHistory, AHeroInAnotherSpaceHasTravelled) {
  History history;
  history.round({{"meadow-1", "a", {"ada", "bob"}}, {"forest-1", "b", {}}}, 0s);
  EXPECT_THAT(texts(history), IsEmpty()) << "who is seen first has not travelled";
  history.round({{"meadow-1", "a", {"bob"}}, {"forest-1", "b", {"ada"}}}, 1s);
  history.round({{"meadow-1", "a", {"bob"}}, {"forest-1", "b", {"ada"}}}, 2s);
  EXPECT_THAT(texts(history), ElementsAre("travel ada: meadow-1@a forest-1@b"));
  EXPECT_EQ(history.travels(), 1U);
}

TEST(ArenaHistory, SeenInTwoSpacesTheLaterOneCounts) {
  History history;
  history.round({{"meadow-1", "a", {"ada"}}, {"forest-1", "b", {}}}, 0s);
  history.round({{"meadow-1", "a", {"ada"}}, {"forest-1", "b", {"ada"}}}, 1s);
  history.round({{"meadow-1", "a", {}}, {"forest-1", "b", {"ada"}}}, 2s);
  EXPECT_THAT(texts(history), ElementsAre("travel ada: meadow-1@a forest-1@b"));
}

TEST(ArenaHistory, TheSameSpaceOfAnotherProgramIsATravel) {
  History history;
  history.round({{"meadow-1", "a", {"ada"}}}, 0s);
  history.round({}, 1s);  // its program was killed
  history.round({{"meadow-1", "b", {"ada"}}}, 3s);
  EXPECT_THAT(texts(history), ElementsAre("travel ada: meadow-1@a meadow-1@b"));
}

TEST(ArenaHistory, WhoIsAwayForLongIsForgotten) {
  History history;
  history.round({{"meadow-1", "a", {"ada"}}}, 0s);
  history.round({}, History::kForget);
  EXPECT_EQ(history.heroes(), 1U);
  history.round({}, History::kForget + 1ms);
  EXPECT_EQ(history.heroes(), 0U);
  history.round({{"forest-1", "b", {"ada"}}}, 2min);
  EXPECT_THAT(texts(history), IsEmpty());
}

TEST(ArenaHistory, TellsWhatGoesDownAndComesUp) {
  History history;
  history.program("arena-a", true, 0s);
  history.program("arena-b", false, 0s);
  history.ordered(Event::What::killed, "arena-a", 1s);
  history.program("arena-a", false, 2s);
  history.program("arena-a", false, 3s);
  history.program("arena-b", true, 3s);
  EXPECT_THAT(texts(history), ElementsAre("killed arena-a", "down arena-a", "up arena-b"));
  EXPECT_THAT(texts(history, 2), ElementsAre("up arena-b"));
  EXPECT_THAT(texts(history, history.last()), IsEmpty());
}

TEST(ArenaHistory, KeepsTheLatestEvents) {
  History history;
  history.program("arena-a", true, 0s);
  for (std::size_t i = 0; i < History::kKept; ++i) {
    history.program("arena-a", i % 2 == 1, 1s);
    history.program("arena-a", i % 2 == 1, 1s);
  }
  history.ordered(Event::What::started, "x", 2s);
  const auto kept = history.after(0, History::kKept + 10);
  ASSERT_EQ(kept.size(), History::kKept);
  EXPECT_EQ(kept.front().number, 2U);
  EXPECT_EQ(kept.back().what, Event::What::started);
  const auto few = history.after(0, 3);
  ASSERT_EQ(few.size(), 3U);
  EXPECT_EQ(few.back().number, history.last());
  EXPECT_THAT(history.after(~std::uint64_t{0}, 3), IsEmpty());
}

TEST(ArenaHistory, OfMoreHeroesThanItFollowsNothingIsTold) {
  History history;
  Crowd crowd{.space = "meadow-1", .program = "a", .heroes = {}};
  for (std::size_t i = 0; i <= History::kMostHeroes; ++i) {
    crowd.heroes.push_back("hero" + std::to_string(1'000'000 + i));
  }
  history.round({crowd}, 0s);
  EXPECT_EQ(history.heroes(), History::kMostHeroes);
  crowd.space = "forest-1";
  history.round({crowd}, 1s);
  EXPECT_EQ(history.travels(), History::kMostHeroes);
  EXPECT_EQ(history.after(0, 10'000).size(), History::kKept);
}

}  // namespace
}  // namespace arena::view
