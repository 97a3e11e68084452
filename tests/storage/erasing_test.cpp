/// When what was erased is erased from the tables, too: chunks, rests, compactions.
#include <gtest/gtest.h>

#include "storage/compactor.hpp"
#include "storage/erase_pace.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

using namespace std::chrono_literals;

class ErasePaceTest : public ::testing::Test {
 protected:
  /// A chunk that took a millisecond.
  void chunk() {
    pace_.erased(now_, now_ + 1ms);
    now_ += 1ms;
  }

  ErasePace::Clock::time_point now_ = ErasePace::Clock::now();
  ErasePace pace_;
};

TEST_F(ErasePaceTest, RestsOnlyWhileSomebodyCommits) {
  pace_.wanted(now_);
  EXPECT_EQ(pace_.wait(now_), 0ns);
  chunk();
  EXPECT_EQ(pace_.wait(now_), 0ns);
  pace_.committed();
  chunk();
  EXPECT_EQ(pace_.wait(now_), kRangeRest * 1ms);
  EXPECT_EQ(pace_.wait(now_ + 3ms), kRangeRest * 1ms - 3ms);
  EXPECT_EQ(pace_.wait(now_ + 1s), 0ns);
  chunk();
  EXPECT_EQ(pace_.wait(now_), 0ns) << "nobody has committed since the last one";
}

TEST_F(ErasePaceTest, PressesHarderTheLongerSomethingIsHidden) {
  pace_.wanted(now_);
  EXPECT_EQ(pace_.keys(now_), kRangeChunk);
  now_ += 2 * kRangePatience;
  pace_.wanted(now_);
  EXPECT_EQ(pace_.keys(now_), 4 * kRangeChunk);
  pace_.committed();
  chunk();
  EXPECT_EQ(pace_.wait(now_), kRangeRest * 1ms / 4);
  now_ += 24h;
  EXPECT_EQ(pace_.keys(now_), kRangeHurry);
  pace_.committed();
  chunk();
  EXPECT_LT(pace_.wait(now_), 1ms);
  pace_.nothing_left();
  EXPECT_EQ(pace_.keys(now_), kRangeChunk);
}

class CompactorTest : public ::testing::Test {
 protected:
  CompactorTest() : database_(Database::open({.folder = folder_.path() / "store"}).value()) {
    compactor_.pause();  // so that what waits can be looked at
  }

  test::TempFolder folder_;
  std::shared_ptr<Database> database_;
  Compactor compactor_{*database_};
};

TEST_F(CompactorTest, PiecesThatTouchBecomeOne) {
  compactor_.hint({"a", "b", 10});
  compactor_.hint({"m", "n", 10});
  compactor_.hint({"b", "c", 10});
  EXPECT_EQ(compactor_.waiting(), 2u);
  compactor_.hint({"c", "d", kCompactKeys});
  EXPECT_EQ(compactor_.waiting(), 2u);
  compactor_.hint({"d", "e", 10});
  EXPECT_EQ(compactor_.waiting(), 3u) << "the one before it is large enough";
}

TEST_F(CompactorTest, OfTooManyTheSmallestIsForgotten) {
  for (std::uint64_t i = 0; i < kCompactHints + 5; ++i) {
    compactor_.hint({"k" + std::to_string(i), "l", 1 + i});
  }
  EXPECT_EQ(compactor_.waiting(), kCompactHints);
}

TEST_F(CompactorTest, SmallPiecesWaitUntilNothingElseIsToDo) {
  compactor_.resume();
  compactor_.hint({"a", "b", 10});
  std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(compactor_.waits());
  EXPECT_EQ(compactor_.waiting(), 1u);
  compactor_.idle();
  while (compactor_.waiting() != 0) std::this_thread::yield();
  EXPECT_FALSE(compactor_.waits());
}

TEST_F(CompactorTest, LargePiecesDoNotWait) {
  compactor_.resume();
  compactor_.hint({"a", "b", kCompactKeys});
  while (compactor_.waiting() != 0) std::this_thread::yield();
}

}  // namespace
}  // namespace starbus::storage
