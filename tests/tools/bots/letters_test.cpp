// Letters of bots: lost, doubled and disordered ones are found, and what may be is no violation.
#include <gtest/gtest.h>

#include "tools/bots/checks/letters.hpp"
#include "tools/bots/limits.hpp"

namespace starbus::bots {
namespace {

using game::Fate;

class LettersTest : public ::testing::Test {
 protected:
  std::string say(std::uint64_t from, std::uint64_t to, Fate fate = Fate::replied,
                  std::uint64_t scene = 1) {
    const Letters::Said said = letters.say(0, from, {to}, scene, 100);
    letters.ended(0, from, said.number, fate, false);
    return said.text;
  }
  bool good(const std::string& text, std::uint64_t bot, std::uint64_t stretch = 1,
            std::uint64_t scene = 7) {
    return !letters.heard(text, {bot, stretch, scene, 200}, memory[bot]);
  }
  Letters letters{77, 1};
  std::map<std::uint64_t, LettersHeard> memory;
};

TEST_F(LettersTest, OneToABotComesToItOnce) {
  const std::string first = say(1, 2);
  EXPECT_TRUE(good(first, 2));
  EXPECT_FALSE(good(first, 2)) << "twice in a stretch";
  EXPECT_FALSE(good(first, 3)) << "not to this one";
  EXPECT_TRUE(good(first, 2, 2)) << "its node had not saved that it had come";
  EXPECT_EQ(letters.figures(0).arrived, 1u);
  EXPECT_EQ(letters.figures(0).again, 1u);
}

TEST_F(LettersTest, TheyComeInTheOrderOfTheirSender) {
  const std::string first = say(1, 2);
  const std::string second = say(1, 2);
  EXPECT_TRUE(good(second, 2));
  EXPECT_FALSE(good(first, 2));
}

TEST_F(LettersTest, OneThatWasKeptAndNeverCameIsLost) {
  static_cast<void>(say(1, 2));
  static_cast<void>(say(1, 2, Fate::unknown));
  static_cast<void>(say(1, 3));
  EXPECT_EQ(letters.missing({{2, 50}}).size(), 1u);
  EXPECT_TRUE(letters.missing({{2, 150}}).empty()) << "a full state came after it was said";
  const auto lost = letters.judge_end({{2, 50}, {3, 150}});
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].to, 2u);
  EXPECT_EQ(letters.figures(0).lost, 1u);
  EXPECT_EQ(letters.figures(0).passed_over, 1u);
}

TEST_F(LettersTest, BoundsCountWhatMayHaveCome) {
  static_cast<void>(say(1, 2));
  static_cast<void>(say(1, 2, Fate::unknown));
  static_cast<void>(say(1, 2, Fate::not_begun));
  const auto bounds = letters.bounds(0);
  EXPECT_EQ(bounds.at(2).least, 1u);
  EXPECT_EQ(bounds.at(2).most, 2u);
}

TEST_F(LettersTest, OneWhoseRequestNeverBeganDoesNotCome) {
  EXPECT_FALSE(good(say(1, 2, Fate::not_begun), 2));
}

TEST_F(LettersTest, ThoseToAllComeInOrderAndNoneIsMissingBetweenTwo) {
  const std::string first = say(1, 0);
  const std::string second = say(1, 0);
  const std::string third = say(1, 0);
  EXPECT_TRUE(good(first, 2));
  EXPECT_FALSE(good(third, 2)) << "the second is missing";
  EXPECT_FALSE(good(second, 2)) << "and comes too late";
  EXPECT_TRUE(good(first, 3));
  EXPECT_TRUE(good(third, 3, 1, 8)) << "the listener was in another space";
}

TEST_F(LettersTest, WhoseSenderHasTravelledMayBeMissing) {
  const std::string first = say(1, 0);
  static_cast<void>(say(1, 0, Fate::replied, 2));
  const std::string third = say(1, 0);
  EXPECT_TRUE(good(first, 2));
  EXPECT_TRUE(good(third, 2));
}

TEST_F(LettersTest, OtherTextsAreNone) {
  EXPECT_TRUE(good("hello", 2));
  EXPECT_TRUE(good("78.0.1.2.1", 2)) << "of another run";
  EXPECT_FALSE(good("77.0.1.2.9", 2)) << "nobody has said it";
}

TEST(Letters, AreBounded) {
  Letters letters(1, 1);
  for (std::size_t i = 0; i < 2 * kLettersKept; ++i) {
    const auto said = letters.say(0, 1, {2}, 1, 0);
    letters.ended(0, 1, said.number, Fate::replied, false);
  }
  EXPECT_EQ(letters.figures(0).forgotten, kLettersKept);
  EXPECT_EQ(letters.bounds(0).at(2).least, 2 * kLettersKept) << "they count";
}

}  // namespace
}  // namespace starbus::bots
