// Seeds of every profile, and that a seed means the same run each time.
#include <gtest/gtest.h>

#include "tests/sanitized.hpp"
#include "tests/sim/random.hpp"
#include "tests/sim/simulation.hpp"

namespace starbus::sim {

void PrintTo(const Profile& profile, std::ostream* out) {
  *out << profile.name;
}

namespace {

RunOptions options_for(std::uint64_t seed, std::string_view profile) {
  RunOptions options;
  options.seed = seed;
  options.profile = *find_profile(profile);
  return options;
}

class SeedTest : public testing::TestWithParam<Profile> {};

TEST_P(SeedTest, KeepsEveryPromise) {
  // A seed with mail or clients has three times the work of others; sim_mail_300 and
  // sim_clients_100 have more of them.
  const std::uint64_t seeds =
      GetParam().mail || GetParam().clients ? whole_or(14, 5) : whole_or(40, 10);
  Counts counts;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RunResult result = run_seed(options_for(seed, GetParam().name));
    EXPECT_EQ(result.violation, "")
        << "starbus-sim --seed " << seed << " --profile " << GetParam().name;
    counts += result.counts;
  }
  // The runs must be worth something: crashes, moves and traffic in all of them.
  EXPECT_GE(counts[Event::steps], seeds * 1'500);
  EXPECT_GE(counts[Event::busd_crashes] + counts[Event::busroot_crashes], seeds * 5);
  if (GetParam().clients) {
    EXPECT_GE(counts[Event::calls], seeds * 200);
    EXPECT_GE(counts[Event::lies], seeds * 20);
  } else {
    EXPECT_GE(counts[Event::moved], seeds * 5);
  }
  EXPECT_GE(counts[Event::handled], seeds * 200);
  if (GetParam().deaths) {
    EXPECT_GE(counts[Event::process_deaths], seeds);
  }
  if (GetParam().liars) {
    EXPECT_GE(counts[Event::lies], seeds * 200);
  }
  if (GetParam().mail) {
    EXPECT_GE(counts[Event::log_read], seeds * 200);
    EXPECT_GE(counts[Event::log_trimmed], seeds * 20);
    EXPECT_GE(counts[Event::log_jumps], seeds);
  }
}

TEST_P(SeedTest, IsTheSameRunEachTime) {
  const RunOptions options = options_for(7, GetParam().name);
  const RunResult first = run_seed(options);
  const RunResult second = run_seed(options);
  EXPECT_EQ(first.fingerprint, second.fingerprint);
  EXPECT_EQ(first.counts.values, second.counts.values);
  RunOptions other = options;
  ++other.seed;
  EXPECT_NE(first.fingerprint, run_seed(other).fingerprint);
}

INSTANTIATE_TEST_SUITE_P(Profile, SeedTest, testing::ValuesIn(kProfiles),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(RandomTest, IsTheSameEverywhere) {
  Random random(1);
  EXPECT_EQ(random.next(), 12966619160104079557ULL);
  EXPECT_EQ(random.next(), 9600361134598540522ULL);
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_LT(random.below(7), 7u);
    const auto value = random.between(3, 5);
    EXPECT_TRUE(value >= 3 && value <= 5);
  }
}

}  // namespace
}  // namespace starbus::sim
