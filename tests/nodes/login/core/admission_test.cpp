// Admission as a whole: rules one by one, and storms.
#include "nodes/login/core/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/nodes/login/core/hall.hpp"

namespace starbus::nodes::login {
namespace {

using namespace std::chrono_literals;
using fixture::Hall;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string name(std::uint64_t number) {
  return "p" + std::to_string(number);
}

TEST(AdmissionTest, ARightProofIsAdmittedWithItsNumber) {
  Hall hall;
  const AttemptId first = hall.begin("ada", 1);
  hall.run(1'000);
  const AttemptId second = hall.begin("ada", 1);
  hall.run(1'000);
  EXPECT_EQ(hall.fates[first].admitted, (Admit{first, "ada", 1}));
  EXPECT_EQ(hall.fates[second].admitted, (Admit{second, "ada", 2}));
  EXPECT_EQ(hall.admission.counts().rows, 0U);
  EXPECT_THAT(hall.wrong_effects, IsEmpty());
}

TEST(AdmissionTest, AWrongProofIsDenied) {
  Hall hall;
  const AttemptId id = hall.begin("ada", 1, false);
  hall.run(1'000);
  ASSERT_TRUE(hall.fates[id].refused);
  EXPECT_EQ(hall.fates[id].refused->reason, CloseReason::denied);
  EXPECT_EQ(hall.admission.counts().wrong, 1U);
  EXPECT_EQ(hall.admission.counts().rows, 0U);
}

TEST(AdmissionTest, BannedAreToldUntilWhenAndOnlyOnceTheyHaveProvedThemselves) {
  Hall hall;
  ASSERT_TRUE(hall.admission.bans().add("ada", {0, "cheating"}, hall.at().wall));
  ASSERT_TRUE(hall.admission.bans().add(near_of(hall.address(7)), {0, "bots"}, hall.at().wall));
  const AttemptId guesser = hall.begin("ada", 1, false);
  const AttemptId ada = hall.begin("ada", 2);
  const AttemptId bot = hall.begin("bob", 7);
  hall.run(1'000);
  EXPECT_EQ(hall.fates[guesser].refused->reason, CloseReason::denied);
  EXPECT_EQ(hall.fates[ada].refused->reason, CloseReason::banned);
  EXPECT_THAT(hall.fates[ada].refused->text, HasSubstr("cheating"));
  EXPECT_EQ(hall.fates[bot].refused->reason, CloseReason::banned);
  EXPECT_FALSE(hall.fates[bot].looked);
}

TEST(AdmissionTest, TheLaterOfTwoProvedLoginsHasThePlace) {
  Hall hall;
  hall.most = 0;
  hall.run(5'000);
  const AttemptId first = hall.begin("ada", 1);
  const AttemptId bob = hall.begin("bob", 2);
  hall.run(1'000);
  const AttemptId guesser = hall.begin("ada", 3, false);  // who proves nothing replaces nobody
  hall.run(1'000);
  EXPECT_EQ(hall.fates[guesser].refused->reason, CloseReason::denied);
  EXPECT_FALSE(hall.fates[first].over());
  const AttemptId second = hall.begin("ada", 4);
  hall.run(1'000);
  EXPECT_EQ(hall.fates[first].refused->reason, CloseReason::replaced);
  EXPECT_EQ(hall.fates[second].told.back().ahead, 0U);
  EXPECT_EQ(hall.fates[bob].told.back().ahead, 1U);
  hall.most = 10;
  hall.run(10'000);
  EXPECT_EQ(hall.entered, (std::vector<std::string>{"ada", "bob"}));
  // Also when the account is being asked already.
  hall.numbers = false;
  const AttemptId third = hall.begin("eve", 5);
  hall.run(100);
  hall.numbers = true;
  const AttemptId fourth = hall.begin("eve", 5);
  hall.run(1'000);
  EXPECT_EQ(hall.fates[third].refused->reason, CloseReason::replaced);
  EXPECT_TRUE(hall.fates[fourth].admitted);
  EXPECT_EQ(hall.admission.counts().rows, 0U);
}

TEST(AdmissionTest, APlaceIsKeptForTheAccountThatComesBack) {
  Hall hall;
  hall.most = 0;
  hall.run(5'000);
  const AttemptId ada = hall.begin("ada", 1);
  const AttemptId bob = hall.begin("bob", 2);
  hall.run(1'000);
  hall.admission.gone(ada, hall.at());
  hall.run(10'000);
  const AttemptId again = hall.begin("ada", 3);  // from another network
  hall.run(1'000);
  EXPECT_FALSE(hall.fates[ada].over());  // nobody is there to be told
  EXPECT_EQ(hall.fates[again].told.back().ahead, 0U);
  hall.admission.gone(bob, hall.at());
  hall.run(kQueueKeep.count() + 1'000);
  EXPECT_EQ(hall.admission.counts().queued, 1U);
  hall.most = 10;
  hall.run(10'000);
  EXPECT_TRUE(hall.fates[again].admitted);
  EXPECT_EQ(hall.admission.counts().rows, 0U);
}

TEST(AdmissionTest, WhoComesBackDoesNotQueue) {
  Hall hall;
  hall.most = 0;
  hall.looks = false;
  hall.run(5'000);
  const AttemptId ada = hall.begin("", 1);
  const AttemptId late = hall.begin("", 2);
  Effects effects;
  hall.admission.judged(ada, {Verdict::Kind::right, "ada", {}, 7}, hall.at(), effects);
  hall.admission.judged(late, {Verdict::Kind::stale, {}, "log in"}, hall.at(), effects);
  hall.carry_out(effects);
  EXPECT_EQ(hall.fates[ada].admitted, (Admit{ada, "ada", 7}));
  EXPECT_EQ(hall.fates[late].refused, (Refuse{late, CloseReason::token, 0, "log in"}));
  EXPECT_EQ(hall.admission.counts().wrong, 0U);
  EXPECT_EQ(hall.admission.counts().rows, 0U);
}

TEST(AdmissionTest, AGuessCountsAlsoIfWhoMadeItHasGone) {
  Hall hall;
  for (unsigned i = 0; i < kAddressWrong; ++i) {
    const AttemptId id = hall.begin(name(i), 1, false);
    hall.admission.gone(id, hall.at());
    hall.run(100);
    EXPECT_FALSE(hall.fates[id].over());
  }
  EXPECT_EQ(hall.admission.counts().wrong, kAddressWrong);
  hall.begin("x", 1, false);
  EXPECT_EQ(hall.admission.counts().delayed, 1U);
}

TEST(AdmissionTest, ProofsAreLookedAtFewAtATimeAndInOrder) {
  Hall hall;
  std::vector<AttemptId> ids;
  for (std::uint32_t i = 0; i < 3 * kLookingAtOnce; ++i) ids.push_back(hall.begin(name(i), i));
  EXPECT_EQ(hall.admission.counts().looking, kLookingAtOnce);
  EXPECT_EQ(hall.looked.size(), kLookingAtOnce);
  hall.run(1'000);
  EXPECT_EQ(hall.looked, ids);
}

TEST(AdmissionTest, ASlowVerifierHoldsUpItsOwnAlone) {
  Hall hall({.looking_at_once = 1});
  Effects effects;
  const auto begin = [&](std::uint32_t from, std::size_t lane) {
    return hall.admission.begin("", hall.address(from), hall.at(), effects, lane);
  };
  const AttemptId slow = begin(1, 0);
  begin(2, 0);
  const AttemptId other = begin(3, 1);
  EXPECT_EQ(effects, (Effects{Look{slow}, Look{other}}));
}

TEST(AdmissionTest, KnownPlayersGoFirstAndDoNotStarveOthers) {
  Hall hall({.looking_at_once = 1});
  for (std::uint32_t i = 0; i < 8; ++i) hall.make_known(name(i), i);
  ASSERT_TRUE(hall.known_ok);
  hall.looked.clear();
  std::vector<AttemptId> others;
  for (std::uint32_t i = 100; i < 104; ++i) others.push_back(hall.begin(name(i), i));
  for (std::uint32_t i = 0; i < 8; ++i) hall.begin(name(i), i);
  hall.run(5'000);
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < hall.looked.size(); ++i) {
    if (std::count(others.begin(), others.end(), hall.looked[i]) > 0) at.push_back(i);
  }
  ASSERT_EQ(at.size(), 4U);
  EXPECT_EQ(at[0], 0U);  // nobody else was there yet
  EXPECT_LE(at[1], 4U);  // one in four
  EXPECT_LE(at[2], 8U);
}

TEST(AdmissionTest, EveryWaitEnds) {
  Hall hall({.looking_at_once = 1});
  hall.looks = false;
  const AttemptId hung = hall.begin("ada", 1);
  hall.run(kLookTime.count());
  EXPECT_EQ(hall.fates[hung].refused->reason, CloseReason::later);
  EXPECT_GE(hall.fates[hung].refused->retry_ms, static_cast<std::uint64_t>(kRetryLater.count()));
  EXPECT_LE(hall.fates[hung].refused->retry_ms,
            2 * static_cast<std::uint64_t>(kRetryLater.count()));
  // More than are looked at within the time that one waits for its turn.
  std::vector<AttemptId> ids;
  for (std::uint32_t i = 0; i < 20; ++i) ids.push_back(hall.begin(name(i), i));
  hall.run((kLookWait + kLookTime).count());
  for (const AttemptId id : ids) EXPECT_EQ(hall.fates[id].refused->reason, CloseReason::later);
  EXPECT_FALSE(hall.fates[ids.back()].looked);
  // An account that does not answer; and one that cannot.
  hall.looks = true;
  hall.numbers = false;
  const AttemptId silent = hall.begin("bob", 2);
  hall.run(kNumberTime.count() + 100);
  EXPECT_EQ(hall.fates[silent].refused->reason, CloseReason::later);
  const AttemptId later = hall.begin("bob", 2);
  hall.run(100);
  Effects effects;
  hall.admission.numbered(later, std::nullopt, hall.at(), effects);
  hall.carry_out(effects);
  EXPECT_EQ(hall.fates[later].refused->reason, CloseReason::later);
  EXPECT_EQ(hall.admission.counts().rows, 0U);
}

TEST(AdmissionTest, AStepIsBounded) {
  Hall hall({.places = {.per_second = 100'000}});
  hall.most = 0;
  hall.run(5'000);
  for (std::uint32_t i = 0; i < 3 * kStepsAtOnce; ++i) hall.begin(name(i), i);
  hall.run(15'000);
  EXPECT_EQ(hall.admission.counts().queued, 3 * kStepsAtOnce);
  hall.admission.measured({0, 1'000'000}, hall.at());
  hall.now += 10ms;
  Effects effects;
  hall.admission.step(hall.at(), effects);
  EXPECT_LE(effects.size(), kStepsAtOnce);
  EXPECT_LE(hall.admission.next(hall.at()), hall.now);  // there is more
}

TEST(AdmissionTest, AttemptsAreBoundedWithAReserveForKnownPlayers) {
  Hall hall;
  hall.make_known("ada", 1'000'000);
  hall.looks = false;
  std::uint32_t number = 0;
  for (; number < kAttempts - kKnownReserve; ++number) hall.begin(name(number), number);
  EXPECT_EQ(hall.count(CloseReason::too_many), 0U);
  const AttemptId other = hall.begin("other", number);
  EXPECT_EQ(hall.fates[other].refused->reason, CloseReason::too_many);
  const AttemptId ada = hall.begin("ada", 1'000'000);
  EXPECT_FALSE(hall.fates[ada].over());
}

TEST(AdmissionTest, OneAddressHasFewUnderWay) {
  Hall hall;
  hall.make_known("ada", 1);
  hall.looks = false;
  for (std::uint32_t i = 0; i < kAddressUnderWay; ++i) hall.begin(name(i), 1);
  EXPECT_EQ(hall.count(CloseReason::too_many), 0U);
  EXPECT_TRUE(hall.fates[hall.begin("x", 1)].refused);
  EXPECT_FALSE(hall.fates[hall.begin("ada", 1)].over());
  EXPECT_FALSE(hall.fates[hall.begin("x", 2)].over());
}

TEST(AdmissionTest, OneAccountHasFewUnderWay) {
  Hall hall;
  hall.make_known("ada", 1'000);
  hall.looks = false;
  for (std::uint32_t i = 0; i < kAccountUnderWay; ++i) hall.begin("ada", i);
  EXPECT_EQ(hall.count(CloseReason::too_many), 0U);
  EXPECT_TRUE(hall.fates[hall.begin("ada", 500)].refused);
  EXPECT_FALSE(hall.fates[hall.begin("ada", 1'000)].over());
  EXPECT_FALSE(hall.fates[hall.begin("bob", 500)].over());
}

TEST(AdmissionTest, OneKnownPlayerHasFewUnderWay) {
  Hall hall;
  hall.make_known("ada", 1);
  hall.looks = false;
  for (std::uint32_t i = 0; i < kPairUnderWay; ++i) hall.begin("ada", 1);
  EXPECT_EQ(hall.count(CloseReason::too_many), 0U);
  EXPECT_TRUE(hall.fates[hall.begin("ada", 1)].refused);
}

TEST(AdmissionTest, AFullQueueRefusesBeforeAnyWork) {
  constexpr std::uint32_t kFew = 100;
  Hall hall({.queue_places = kFew});
  hall.measuring = false;
  hall.admission.measured({0, 0}, hall.at());
  Effects effects;
  for (std::uint32_t i = 0; i < kFew; ++i) {
    const AttemptId id = hall.admission.begin(name(i), hall.address(i), hall.at(), effects);
    hall.admission.judged(id, {Verdict::Kind::right, name(i), {}}, hall.at(), effects);
    effects.clear();
  }
  EXPECT_EQ(hall.admission.counts().queued, kFew);
  const AttemptId late = hall.begin("late", 1);
  ASSERT_TRUE(hall.fates[late].refused);
  EXPECT_EQ(hall.fates[late].refused->reason, CloseReason::full);
  EXPECT_GE(hall.fates[late].refused->retry_ms, static_cast<std::uint64_t>(kRetryFull.count()));
  EXPECT_FALSE(hall.fates[late].looked);
  EXPECT_FALSE(hall.fates[hall.begin(name(5), 5)].over());  // has a place
  EXPECT_FALSE(hall.fates[hall.begin("", 6)].over());       // may have one, or come back
}

// Guessers at many accounts and from many addresses, beside players of all sorts.
TEST(AdmissionTest, AStormIsServedInOrderAndAGuesserIsSlowed) {
  Hall hall;
  constexpr std::uint32_t kPlayers = 2'000;
  constexpr std::uint32_t kGuesser = 900'000;
  hall.make_known("victim", 500'000);
  std::vector<AttemptId> players;
  std::vector<AttemptId> guesses;
  for (std::uint32_t i = 0; i < kPlayers; ++i) {
    players.push_back(hall.begin(name(i), i));
    if (i % 10 == 0) guesses.push_back(hall.begin("victim", kGuesser, false));
    if (i % 100 == 0) hall.run(1);
  }
  for (int second = 0; second < 120; ++second) {  // he goes on
    for (int i = 0; i < 10; ++i) guesses.push_back(hall.begin("victim", kGuesser, false));
    hall.run(1'000);
  }
  EXPECT_THAT(hall.wrong_effects, IsEmpty());
  std::vector<std::string> expected;
  for (std::uint32_t i = 0; i < kPlayers; ++i) expected.push_back(name(i));
  std::erase(hall.entered, "victim");
  EXPECT_EQ(hall.entered, expected);  // none is lost, none twice, in order
  for (std::size_t i = 0; i < players.size(); ++i) {
    const auto& fate = hall.fates[players[i]];
    ASSERT_TRUE(fate.admitted) << i;
    EXPECT_LT(fate.ended - fate.began, 20s);
    EXPECT_EQ(hall.logins[name(static_cast<std::uint64_t>(i))], 1U);
  }
  // Of 1,400 guesses a few dozen were looked at.
  EXPECT_EQ(guesses.size(), 1'400U);
  EXPECT_LT(hall.admission.counts().wrong, 70U);
  // The owner comes in at once where he is known, and within kAccountDelay where he is not.
  const AttemptId at_home = hall.begin("victim", 500'000);
  hall.run(1'000);
  ASSERT_TRUE(hall.fates[at_home].admitted);
  const AttemptId abroad = hall.begin("victim", 600'000);
  hall.run(kAccountDelay.count() + 1'000);
  ASSERT_TRUE(hall.fates[abroad].admitted);
  EXPECT_LE(hall.fates[abroad].ended - hall.fates[abroad].began, kAccountDelay + 1s);
  hall.run(120'000);
  EXPECT_EQ(hall.admission.counts().rows, 0U);
}

TEST(AdmissionTest, AStormWaitsForBusyNodesInOrder) {
  AdmissionOptions options;
  options.places.load.roles = {"space"};
  Hall hall(options);
  hall.busy = 1'000;
  std::vector<std::string> expected;
  for (std::uint32_t i = 0; i < 500; ++i) {
    hall.begin(name(i), i);
    expected.push_back(name(i));
  }
  hall.run(60'000);
  EXPECT_THAT(hall.entered, IsEmpty());
  EXPECT_EQ(hall.admission.counts().queued, 500U);
  // The load falls: as many enter as it allows before reports can show them, then the others.
  hall.busy = 100;
  hall.run(12'000);
  EXPECT_FALSE(hall.entered.empty());
  EXPECT_LE(hall.entered.size(), (kLoadNone - 100) / kLoadWeight + 1);
  hall.run(300'000);
  EXPECT_EQ(hall.entered, expected);
  EXPECT_THAT(hall.wrong_effects, IsEmpty());
  EXPECT_EQ(hall.admission.counts().rows, 0U);
}

TEST(AdmissionTest, HundredThousandLoginsLeaveNothing) {
  Hall hall({.rates = {.burst = 1'000'000}, .places = {.per_second = 1'000'000}});
  hall.measuring = false;
  std::mt19937 random(7);
  std::set<AttemptId> begun;
  std::uint64_t admitted = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    hall.now += 10ms;
    if (i % 1'000 == 0) hall.admission.measured({0, 1'000'000}, hall.at());
    Effects effects;
    // Among few, so that they meet; some leave at any time, some are wrong, some hang.
    const AttemptId id = hall.admission.begin(name(random() % 500), hall.address(random() % 3'000),
                                              hall.at(), effects);
    begun.insert(id);
    for (std::size_t at = 0; at < effects.size(); ++at) {
      const Effect effect = effects[at];
      if (random() % 20 == 0) hall.admission.gone(*begun.rbegin(), hall.at());
      if (const auto* look = std::get_if<Look>(&effect); look && random() % 500 != 0) {
        const auto kind = random() % 30 == 0 ? Verdict::Kind::wrong : Verdict::Kind::right;
        hall.admission.judged(look->id, {kind, name(random() % 500), {}, 0}, hall.at(), effects);
      } else if (const auto* number = std::get_if<Number>(&effect); number && random() % 500 != 0) {
        hall.admission.numbered(number->id, i, hall.at(), effects);
      } else if (std::holds_alternative<Admit>(effect)) {
        ++admitted;
      }
      if (at + 1 == effects.size()) hall.admission.step(hall.at(), effects);
    }
  }
  EXPECT_GT(admitted, 50'000U);
  for (int i = 0; i < 100; ++i) {
    hall.now += 10s;
    Effects effects;
    hall.admission.step(hall.at(), effects);
  }
  EXPECT_EQ(hall.admission.counts().rows, 0U);
}

}  // namespace
}  // namespace starbus::nodes::login
