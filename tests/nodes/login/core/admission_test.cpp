// Admission as a whole: rules one by one, and storms.
#include "nodes/login/core/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/nodes/login/core/desk.hpp"

namespace starbus::nodes::login {
namespace {

using namespace std::chrono_literals;
using fixture::Desk;
using testing::HasSubstr;
using testing::IsEmpty;

std::string name(std::uint64_t number) {
  return "p" + std::to_string(number);
}

TEST(AdmissionTest, ARightProofIsAdmittedWithItsNumber) {
  Desk desk;
  const AttemptId first = desk.begin("ada", 1);
  desk.run(1'000);
  const AttemptId second = desk.begin("ada", 1);
  desk.run(1'000);
  EXPECT_EQ(desk.fates[first].admitted, (Admit{first, "ada", 1}));
  EXPECT_EQ(desk.fates[second].admitted, (Admit{second, "ada", 2}));
  EXPECT_EQ(desk.admission.counts().rows, 0U);
  EXPECT_THAT(desk.wrong_effects, IsEmpty());
}

TEST(AdmissionTest, AWrongProofIsDenied) {
  Desk desk;
  const AttemptId id = desk.begin("ada", 1, false);
  desk.run(1'000);
  ASSERT_TRUE(desk.fates[id].refused);
  EXPECT_EQ(desk.fates[id].refused->reason, CloseReason::denied);
  EXPECT_EQ(desk.admission.counts().wrong, 1U);
  EXPECT_EQ(desk.admission.counts().rows, 0U);
}

TEST(AdmissionTest, BannedAreToldUntilWhenAndOnlyOnceTheyHaveProvedThemselves) {
  Desk desk;
  ASSERT_TRUE(desk.admission.bans().add("ada", {0, "cheating"}, desk.at().wall));
  ASSERT_TRUE(desk.admission.bans().add(near_of(desk.address(7)), {0, "bots"}, desk.at().wall));
  const AttemptId guesser = desk.begin("ada", 1, false);
  const AttemptId ada = desk.begin("ada", 2);
  const AttemptId bot = desk.begin("bob", 7);
  desk.run(1'000);
  EXPECT_EQ(desk.fates[guesser].refused->reason, CloseReason::denied);
  EXPECT_EQ(desk.fates[ada].refused->reason, CloseReason::banned);
  EXPECT_THAT(desk.fates[ada].refused->text, HasSubstr("cheating"));
  EXPECT_EQ(desk.fates[bot].refused->reason, CloseReason::banned);
  EXPECT_FALSE(desk.fates[bot].looked);
}

TEST(AdmissionTest, TheLaterOfTwoProvedLoginsHasThePlace) {
  Desk desk;
  desk.most = 0;
  desk.run(5'000);
  const AttemptId first = desk.begin("ada", 1);
  const AttemptId bob = desk.begin("bob", 2);
  desk.run(1'000);
  const AttemptId guesser = desk.begin("ada", 3, false);  // who proves nothing replaces nobody
  desk.run(1'000);
  EXPECT_EQ(desk.fates[guesser].refused->reason, CloseReason::denied);
  EXPECT_FALSE(desk.fates[first].over());
  const AttemptId second = desk.begin("ada", 4);
  desk.run(1'000);
  EXPECT_EQ(desk.fates[first].refused->reason, CloseReason::replaced);
  EXPECT_EQ(desk.fates[second].told.back().ahead, 0U);
  EXPECT_EQ(desk.fates[bob].told.back().ahead, 1U);
  desk.most = 10;
  desk.run(10'000);
  EXPECT_EQ(desk.entered, (std::vector<std::string>{"ada", "bob"}));
  // Also when the account is being asked already.
  desk.numbers = false;
  const AttemptId third = desk.begin("eve", 5);
  desk.run(100);
  desk.numbers = true;
  const AttemptId fourth = desk.begin("eve", 5);
  desk.run(1'000);
  EXPECT_EQ(desk.fates[third].refused->reason, CloseReason::replaced);
  EXPECT_TRUE(desk.fates[fourth].admitted);
  EXPECT_EQ(desk.admission.counts().rows, 0U);
}

TEST(AdmissionTest, APlaceIsKeptForTheAccountThatComesBack) {
  Desk desk;
  desk.most = 0;
  desk.run(5'000);
  const AttemptId ada = desk.begin("ada", 1);
  const AttemptId bob = desk.begin("bob", 2);
  desk.run(1'000);
  desk.admission.gone(ada, desk.at());
  desk.run(10'000);
  const AttemptId again = desk.begin("ada", 3);  // from another network
  desk.run(1'000);
  EXPECT_FALSE(desk.fates[ada].over());  // nobody is there to be told
  EXPECT_EQ(desk.fates[again].told.back().ahead, 0U);
  desk.admission.gone(bob, desk.at());
  desk.run(kQueueKeep.count() + 1'000);
  EXPECT_EQ(desk.admission.counts().queued, 1U);
  desk.most = 10;
  desk.run(10'000);
  EXPECT_TRUE(desk.fates[again].admitted);
  EXPECT_EQ(desk.admission.counts().rows, 0U);
}

TEST(AdmissionTest, AGuessCountsAlsoIfWhoMadeItHasGone) {
  Desk desk;
  for (unsigned i = 0; i < kAddressWrong; ++i) {
    const AttemptId id = desk.begin(name(i), 1, false);
    desk.admission.gone(id, desk.at());
    desk.run(100);
    EXPECT_FALSE(desk.fates[id].over());
  }
  EXPECT_EQ(desk.admission.counts().wrong, kAddressWrong);
  desk.begin("x", 1, false);
  EXPECT_EQ(desk.admission.counts().delayed, 1U);
}

TEST(AdmissionTest, ProofsAreLookedAtFewAtATimeAndInOrder) {
  Desk desk;
  std::vector<AttemptId> ids;
  for (std::uint32_t i = 0; i < 3 * kLookingAtOnce; ++i) ids.push_back(desk.begin(name(i), i));
  EXPECT_EQ(desk.admission.counts().looking, kLookingAtOnce);
  EXPECT_EQ(desk.looked.size(), kLookingAtOnce);
  desk.run(1'000);
  EXPECT_EQ(desk.looked, ids);
}

TEST(AdmissionTest, KnownPlayersGoFirstAndDoNotStarveOthers) {
  Desk desk({.looking_at_once = 1});
  for (std::uint32_t i = 0; i < 8; ++i) desk.make_known(name(i), i);
  ASSERT_TRUE(desk.known_ok);
  desk.looked.clear();
  std::vector<AttemptId> others;
  for (std::uint32_t i = 100; i < 104; ++i) others.push_back(desk.begin(name(i), i));
  for (std::uint32_t i = 0; i < 8; ++i) desk.begin(name(i), i);
  desk.run(5'000);
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < desk.looked.size(); ++i) {
    if (std::count(others.begin(), others.end(), desk.looked[i]) > 0) at.push_back(i);
  }
  ASSERT_EQ(at.size(), 4U);
  EXPECT_EQ(at[0], 0U);  // nobody else was there yet
  EXPECT_LE(at[1], 4U);  // one in four
  EXPECT_LE(at[2], 8U);
}

TEST(AdmissionTest, EveryWaitEnds) {
  Desk desk({.looking_at_once = 1});
  desk.looks = false;
  const AttemptId hung = desk.begin("ada", 1);
  desk.run(kLookTime.count());
  EXPECT_EQ(desk.fates[hung].refused->reason, CloseReason::later);
  EXPECT_GE(desk.fates[hung].refused->retry_ms, static_cast<std::uint64_t>(kRetryLater.count()));
  EXPECT_LE(desk.fates[hung].refused->retry_ms,
            2 * static_cast<std::uint64_t>(kRetryLater.count()));
  // More than are looked at within the time that one waits for its turn.
  std::vector<AttemptId> ids;
  for (std::uint32_t i = 0; i < 20; ++i) ids.push_back(desk.begin(name(i), i));
  desk.run((kLookWait + kLookTime).count());
  for (const AttemptId id : ids) EXPECT_EQ(desk.fates[id].refused->reason, CloseReason::later);
  EXPECT_FALSE(desk.fates[ids.back()].looked);
  // An account that does not answer; and one that cannot.
  desk.looks = true;
  desk.numbers = false;
  const AttemptId silent = desk.begin("bob", 2);
  desk.run(kNumberTime.count() + 100);
  EXPECT_EQ(desk.fates[silent].refused->reason, CloseReason::later);
  const AttemptId later = desk.begin("bob", 2);
  desk.run(100);
  Effects effects;
  desk.admission.numbered(later, std::nullopt, desk.at(), effects);
  desk.carry_out(effects);
  EXPECT_EQ(desk.fates[later].refused->reason, CloseReason::later);
  EXPECT_EQ(desk.admission.counts().rows, 0U);
}

TEST(AdmissionTest, AStepIsBounded) {
  Desk desk({.places = {.per_second = 100'000}});
  desk.most = 0;
  desk.run(5'000);
  for (std::uint32_t i = 0; i < 3 * kStepsAtOnce; ++i) desk.begin(name(i), i);
  desk.run(15'000);
  EXPECT_EQ(desk.admission.counts().queued, 3 * kStepsAtOnce);
  desk.admission.measured({0, 1'000'000, 0}, desk.at());
  desk.now += 10ms;
  Effects effects;
  desk.admission.step(desk.at(), effects);
  EXPECT_LE(effects.size(), kStepsAtOnce);
  EXPECT_LE(desk.admission.next(desk.at()), desk.now);  // there is more
}

TEST(AdmissionTest, AttemptsAreBoundedWithAReserveForKnownPlayers) {
  Desk desk;
  desk.make_known("ada", 1'000'000);
  desk.looks = false;
  std::uint32_t number = 0;
  for (; number < kAttempts - kKnownReserve; ++number) desk.begin(name(number), number);
  EXPECT_EQ(desk.count(CloseReason::too_many), 0U);
  const AttemptId other = desk.begin("other", number);
  EXPECT_EQ(desk.fates[other].refused->reason, CloseReason::too_many);
  const AttemptId ada = desk.begin("ada", 1'000'000);
  EXPECT_FALSE(desk.fates[ada].over());
}

TEST(AdmissionTest, OneAddressHasFewUnderWay) {
  Desk desk;
  desk.make_known("ada", 1);
  desk.looks = false;
  for (std::uint32_t i = 0; i < kAddressUnderWay; ++i) desk.begin(name(i), 1);
  EXPECT_EQ(desk.count(CloseReason::too_many), 0U);
  EXPECT_TRUE(desk.fates[desk.begin("x", 1)].refused);
  EXPECT_FALSE(desk.fates[desk.begin("ada", 1)].over());
  EXPECT_FALSE(desk.fates[desk.begin("x", 2)].over());
}

TEST(AdmissionTest, OneAccountHasFewUnderWay) {
  Desk desk;
  desk.make_known("ada", 1'000);
  desk.looks = false;
  for (std::uint32_t i = 0; i < kAccountUnderWay; ++i) desk.begin("ada", i);
  EXPECT_EQ(desk.count(CloseReason::too_many), 0U);
  EXPECT_TRUE(desk.fates[desk.begin("ada", 500)].refused);
  EXPECT_FALSE(desk.fates[desk.begin("ada", 1'000)].over());
  EXPECT_FALSE(desk.fates[desk.begin("bob", 500)].over());
}

TEST(AdmissionTest, OneKnownPlayerHasFewUnderWay) {
  Desk desk;
  desk.make_known("ada", 1);
  desk.looks = false;
  for (std::uint32_t i = 0; i < kPairUnderWay; ++i) desk.begin("ada", 1);
  EXPECT_EQ(desk.count(CloseReason::too_many), 0U);
  EXPECT_TRUE(desk.fates[desk.begin("ada", 1)].refused);
}

TEST(AdmissionTest, AFullQueueRefusesBeforeAnyWork) {
  constexpr std::uint32_t kFew = 100;
  Desk desk({.queue_places = kFew});
  desk.measuring = false;
  desk.admission.measured({0, 0, 0}, desk.at());
  Effects effects;
  for (std::uint32_t i = 0; i < kFew; ++i) {
    const AttemptId id = desk.admission.begin(name(i), desk.address(i), desk.at(), effects);
    desk.admission.judged(id, {Verdict::Kind::right, name(i), {}}, desk.at(), effects);
    effects.clear();
  }
  EXPECT_EQ(desk.admission.counts().queued, kFew);
  const AttemptId late = desk.begin("late", 1);
  ASSERT_TRUE(desk.fates[late].refused);
  EXPECT_EQ(desk.fates[late].refused->reason, CloseReason::full);
  EXPECT_GE(desk.fates[late].refused->retry_ms, static_cast<std::uint64_t>(kRetryFull.count()));
  EXPECT_FALSE(desk.fates[late].looked);
  EXPECT_FALSE(desk.fates[desk.begin(name(5), 5)].over());  // has a place
}

// Guessers at many accounts and from many addresses, beside players of all sorts.
TEST(AdmissionTest, AStormIsServedInOrderAndAGuesserIsSlowed) {
  Desk desk;
  constexpr std::uint32_t kPlayers = 2'000;
  constexpr std::uint32_t kGuesser = 900'000;
  desk.make_known("victim", 500'000);
  std::vector<AttemptId> players;
  std::vector<AttemptId> guesses;
  for (std::uint32_t i = 0; i < kPlayers; ++i) {
    players.push_back(desk.begin(name(i), i));
    if (i % 10 == 0) guesses.push_back(desk.begin("victim", kGuesser, false));
    if (i % 100 == 0) desk.run(1);
  }
  for (int second = 0; second < 120; ++second) {  // he goes on
    for (int i = 0; i < 10; ++i) guesses.push_back(desk.begin("victim", kGuesser, false));
    desk.run(1'000);
  }
  EXPECT_THAT(desk.wrong_effects, IsEmpty());
  std::vector<std::string> expected;
  for (std::uint32_t i = 0; i < kPlayers; ++i) expected.push_back(name(i));
  std::erase(desk.entered, "victim");
  EXPECT_EQ(desk.entered, expected);  // none is lost, none twice, in order
  for (std::size_t i = 0; i < players.size(); ++i) {
    const auto& fate = desk.fates[players[i]];
    ASSERT_TRUE(fate.admitted) << i;
    EXPECT_LT(fate.ended - fate.began, 20s);
    EXPECT_EQ(desk.logins[name(static_cast<std::uint64_t>(i))], 1U);
  }
  // Of 1,400 guesses a few dozen were looked at.
  EXPECT_EQ(guesses.size(), 1'400U);
  EXPECT_LT(desk.admission.counts().wrong, 70U);
  // The owner comes in at once where he is known, and within kAccountDelay where he is not.
  const AttemptId at_home = desk.begin("victim", 500'000);
  desk.run(1'000);
  ASSERT_TRUE(desk.fates[at_home].admitted);
  const AttemptId abroad = desk.begin("victim", 600'000);
  desk.run(kAccountDelay.count() + 1'000);
  ASSERT_TRUE(desk.fates[abroad].admitted);
  EXPECT_LE(desk.fates[abroad].ended - desk.fates[abroad].began, kAccountDelay + 1s);
  desk.run(120'000);
  EXPECT_EQ(desk.admission.counts().rows, 0U);
}

TEST(AdmissionTest, HundredThousandLoginsLeaveNothing) {
  Desk desk({.rates = {.burst = 1'000'000}, .places = {.per_second = 1'000'000}});
  desk.measuring = false;
  std::mt19937 random(7);
  std::set<AttemptId> begun;
  std::uint64_t admitted = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    desk.now += 10ms;
    if (i % 1'000 == 0) desk.admission.measured({0, 1'000'000, 0}, desk.at());
    Effects effects;
    // Among few, so that they meet; some leave at any time, some are wrong, some hang.
    const AttemptId id = desk.admission.begin(name(random() % 500), desk.address(random() % 3'000),
                                              desk.at(), effects);
    begun.insert(id);
    for (std::size_t at = 0; at < effects.size(); ++at) {
      const Effect effect = effects[at];
      if (random() % 20 == 0) desk.admission.gone(*begun.rbegin(), desk.at());
      if (const auto* look = std::get_if<Look>(&effect); look && random() % 500 != 0) {
        const auto kind = random() % 30 == 0 ? Verdict::Kind::wrong : Verdict::Kind::right;
        desk.admission.judged(look->id, {kind, name(random() % 500), {}}, desk.at(), effects);
      } else if (const auto* number = std::get_if<Number>(&effect); number && random() % 500 != 0) {
        desk.admission.numbered(number->id, i, desk.at(), effects);
      } else if (std::holds_alternative<Admit>(effect)) {
        ++admitted;
      }
      if (at + 1 == effects.size()) desk.admission.step(desk.at(), effects);
    }
  }
  EXPECT_GT(admitted, 50'000U);
  for (int i = 0; i < 100; ++i) {
    desk.now += 10s;
    Effects effects;
    desk.admission.step(desk.at(), effects);
  }
  EXPECT_EQ(desk.admission.counts().rows, 0U);
}

}  // namespace
}  // namespace starbus::nodes::login
