// What bots read of properties: scripts, sums, what a new stretch takes back, what bots see of each
// other, totals.
#include <gmock/gmock.h>

#include "tools/bots/limits.hpp"
#include "tools/bots/state/own_watch.hpp"
#include "tools/bots/state/totals.hpp"

namespace starbus::bots {
namespace {

using ::testing::HasSubstr;

const std::string kHero =
    "[[state]]\nname = 'hero'\nclass = 'hero'\nproperties = 'game::HeroState'\n";

std::string state_problems(const std::string& text) {
  const auto read = parse_script(text, "bots.toml");
  return read ? "" : read.error().detail;
}

TEST(BotStates, MistakesNameLineAndWhatToWrite) {
  EXPECT_EQ(state_problems(kHero + "fields = ['health i32']\n"), "");
  EXPECT_THAT(state_problems(kHero + "fields = ['health']\n"),
              HasSubstr("bots.toml:5:10: 'health' is not of the form \"health i32\""));
  EXPECT_THAT(state_problems(kHero + "fields = ['health [i32]']\n"),
              HasSubstr("is not of the form"));
  EXPECT_THAT(state_problems(kHero + "fields = ['a i32', 'a u8']\n"), HasSubstr("another field"));
  EXPECT_THAT(state_problems(kHero + "own_fields = ['a i32']\n"), HasSubstr("needs 'own = true'"));
  EXPECT_THAT(state_problems(kHero + "fields = ['a i32']\nkey = 'a'\n"), HasSubstr("of type str"));
  EXPECT_THAT(state_problems(kHero + "fields = ['a i32']\ngrows = ['a']\n"),
              HasSubstr("6:9: 'grows' needs 'own = true'"));
  const std::string own = kHero + "own = true\nfields = ['a i32', 'b str']\n";
  EXPECT_THAT(state_problems(own + "grows = ['b']\n"), HasSubstr("of a type of integers"));
  EXPECT_THAT(state_problems(own + "sums = ['a']\n"),
              HasSubstr("is not of the form \"gold = looted"));
  EXPECT_THAT(state_problems(own + "sums = ['a = a *']\n"), HasSubstr("is not of the form"));
  EXPECT_THAT(state_problems(own + "sums = ['a = c']\n"), HasSubstr("'c' must be one of"));
  EXPECT_THAT(state_problems(own + "letters = 'a'\nletters_of = 'say'\n"),
              HasSubstr("'say' must be the name of a [[say]] with {other} and {letter}"));
  EXPECT_THAT(state_problems(own + "\n" +
                             "[[state]]\nname = 'b'\nclass = 'c'\nproperties = 'd'\nown = true\n"),
              HasSubstr("in one [[state]] at most"));
  std::string many;
  for (std::size_t i = 0; i <= kStateFields; ++i) {
    many += (i == 0 ? "" : ", ") + ("'f" + std::to_string(i) + " i32'");
  }
  EXPECT_THAT(state_problems(kHero + "fields = [" + many + "]\n"), HasSubstr("at most 24 fields"));
}

/// A field that was 0, and 10, 20, 30 from these moments on.
Past grown() {
  Past past;
  grow(past, 0, 0);
  grow(past, 10, 1 * kSecond);
  grow(past, 20, 2 * kSecond);
  grow(past, 30, 3 * kSecond);
  return past;
}

TEST(OwnWatch, KnowsHowOldAValueIsThatComesBack) {
  const Past past = grown();
  EXPECT_EQ(age_of(past, 30, 5 * kSecond), 0);
  EXPECT_EQ(age_of(past, 20, 5 * kSecond), 2 * kSecond);
  EXPECT_EQ(age_of(past, 25, 5 * kSecond), 2 * kSecond) << "saved between two tellings";
  EXPECT_EQ(age_of(past, 0, 5 * kSecond), 4 * kSecond);
  EXPECT_EQ(age_of(past, -1, 5 * kSecond), std::nullopt);
}

TEST(OwnWatch, ThePastIsBounded) {
  Past past;
  for (std::size_t i = 0; i < 2 * kPastKept; ++i) {
    grow(past, static_cast<std::int64_t>(i), static_cast<Nanos>(i));
  }
  EXPECT_EQ(past.steps.size(), kPastKept);
  EXPECT_EQ(age_of(past, 1, kSecond), std::nullopt) << "forgotten";
}

class AgreementTest : public ::testing::Test {
 protected:
  static Sighting sighting(std::uint64_t bot, std::uint64_t id, std::int64_t health,
                           Nanos changed_at) {
    Sighting made{0, id, bot, {}, changed_at};
    made.values.fields[0].text = "ada";
    made.values.fields[1].number = health;
    made.values.fields[2].number = static_cast<std::int64_t>(bot);  // the own client's alone
    return made;
  }
  const Script script =
      parse_script(
          kHero +
              "own = true\nfields = ['name str', 'health i32']\nown_fields = ['gold i32']\n"
              "key = 'name'\nwithin = '200ms'\ntotals = ['gold = health']\n",
          "")
          .value();
};

TEST_F(AgreementTest, WhoSeesAnotherValueTooLongDiffers) {
  const std::vector<Sighting> all{sighting(1, 0, 50, kSecond), sighting(2, 9, 60, kSecond / 2),
                                  sighting(3, 9, 50, kSecond)};
  EXPECT_TRUE(compare(script.states, all, kSecond + 200'000'000).differences.empty()) << "not yet";
  const Agreement late = compare(script.states, all, kSecond + 200'000'001);
  EXPECT_EQ(late.compared, 2u);
  ASSERT_EQ(late.differences.size(), 1u);
  EXPECT_EQ(late.differences[0].bot, 1u) << "who plays it knows best";
  EXPECT_EQ(late.differences[0].other, 2u);
  EXPECT_EQ(late.differences[0].here, "health 50");
  EXPECT_EQ(late.differences[0].there, "health 60");
}

TEST_F(AgreementTest, WhatTheOwnClientAloneSeesIsNotCompared) {
  const std::vector<Sighting> all{sighting(1, 0, 50, 0), sighting(2, 9, 50, 0)};
  const Agreement agreement = compare(script.states, all, kSecond);
  EXPECT_EQ(agreement.compared, 1u);
  EXPECT_TRUE(agreement.differences.empty());
}

TEST_F(AgreementTest, TotalsAreThoseOfAllBots) {
  Script two = script;
  two.bots = 2;
  Letters letters(1, 0);
  std::vector<Standing> all{{1, 0, StateValues{}}, {2, 0, StateValues{}}};
  all[0].values->fields[1].number = 5;
  all[1].values->fields[2].number = 5;
  EXPECT_TRUE(judge_totals(two, all, letters).empty());
  all[0].values->fields[2].number = 1;
  const auto wrong = judge_totals(two, all, letters);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].what, "total gold = health");
  EXPECT_EQ(wrong[0].expected, "5");
  EXPECT_EQ(wrong[0].got, "6");
  all.pop_back();
  EXPECT_TRUE(judge_totals(two, all, letters).empty()) << "one is away";
}

}  // namespace
}  // namespace starbus::bots
