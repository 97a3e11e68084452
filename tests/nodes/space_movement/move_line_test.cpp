/// Players over lines that delay, lose and reorder: honest ones are never corrected, dishonest ones
/// get no further than they may.
#include <gtest/gtest.h>

#include <limits>

#include "tests/nodes/space_movement/line_simulation.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::movement {
namespace {

MoveRules wide_rules() {
  MoveRules rules;
  rules.modes = {{.speed = 5, .climb = 1, .fall = 1}};
  rules.min = {-10'000, -10'000, 0};
  rules.max = {10'000, 10'000, 0};
  return rules;
}

unsigned runs() {
  return long_runs() ? 2000 : 60;
}

// Delays that differ by 300 ms, and up to 180 ms between two reports that arrive: within the 500.
TEST(MoveLine, AnHonestPlayerIsNeverCorrected) {
  const MoveRules rules = wide_rules();
  for (unsigned seed = 0; seed < runs(); ++seed) {
    SCOPED_TRACE(seed);
    LineSimulation line(
        rules,
        {.least_delay = static_cast<int>(seed * 7 % 400), .jitter = 300, .loss = 0.05 * (seed % 7)},
        seed);
    for (int i = 0; i < 1500; ++i) line.frame();
    EXPECT_GT(line.accepted(), 100);
    line.settle();
    ASSERT_EQ(line.corrections(), 0);
    ASSERT_EQ(line.check().suspicion().level(line.now()), 0);
    EXPECT_EQ(line.check().state().position, line.client().state().position);
    EXPECT_LE(line.client().pending(), 40U);  // a round trip of them
  }
}

// The client does not know of the wall, and walks into it: it is corrected, and shows in the end
// what the server says.
TEST(MoveLine, BothEndsAgreeAfterCorrections) {
  MoveRules rules = wide_rules();
  rules.may_go = [](const Position&, const Position& to, std::uint8_t) {
    return std::abs(to.x) < 6 && std::abs(to.y) < 6;
  };
  int corrections = 0;
  for (unsigned seed = 0; seed < runs(); ++seed) {
    SCOPED_TRACE(seed);
    LineSimulation line(rules, {.least_delay = 40, .jitter = 100, .loss = 0.1}, seed);
    for (int i = 0; i < 1500; ++i) {
      line.frame();
      const Position& at = line.check().state().position;
      ASSERT_TRUE(std::abs(at.x) < 6 && std::abs(at.y) < 6);
    }
    line.settle();
    corrections += line.corrections();
    EXPECT_EQ(line.check().state().position, line.client().state().position);
    EXPECT_EQ(line.check().suspicion().count(Violation::too_fast), 0U);
    EXPECT_EQ(line.check().suspicion().count(Violation::clock), 0U);
    EXPECT_EQ(line.check().suspicion().count(Violation::forged), 0U);
  }
  EXPECT_GT(corrections, static_cast<int>(runs()));
}

TEST(MoveLine, TeleportsOverABadLineEndInAgreement) {
  const MoveRules rules = wide_rules();
  for (unsigned seed = 0; seed < runs(); ++seed) {
    SCOPED_TRACE(seed);
    LineSimulation line(rules, {.least_delay = 200, .jitter = 300, .loss = 0.2}, seed);
    for (int i = 0; i < 600; ++i) {
      line.frame();
      if (line.below(100) == 0) {
        line.teleport(
            {static_cast<float>(line.below(1000)), static_cast<float>(line.below(1000)), 0});
      }
    }
    line.settle();
    EXPECT_EQ(line.check().state().position, line.client().state().position);
    EXPECT_EQ(line.check().suspicion().count(Violation::too_fast), 0U);
  }
}

/// Every lie there is, often enough that each run tells all of them.
void lie_about(MoveReport& report, LineSimulation& line) {
  const auto some = [&](double most) { return static_cast<float>((line.unit() - 0.5) * most); };
  switch (line.below(24)) {
    case 0:
      report.move.position.x += some(4);
      break;
    case 1:
      report.move.position.y += some(400);
      break;
    case 2:
      report.move.position.x = std::numeric_limits<float>::quiet_NaN();
      break;
    case 3:
      report.client_ms += static_cast<std::uint32_t>(line.below(2000));
      break;
    case 4:
      report.client_ms -= static_cast<std::uint32_t>(line.below(2000));
      break;
    case 5:
      report.epoch += static_cast<std::uint32_t>(line.below(3));
      break;
    case 6:
      report.number += static_cast<std::uint32_t>(line.below(5));
      break;
    case 7:
      report.move.mode = static_cast<std::uint8_t>(line.below(256));
      break;
    case 8:
      report.move.velocity = {some(1e4), some(1e4), some(1e4)};
      break;
    case 9:
      report.move.position = line.check().state().position;
      report.move.position.x += some(6);
      report.epoch = line.check().epoch();  // as one that obeys, and goes far each time
      break;
    default:
      break;
  }
}

// The oracle knows no epochs, clocks and budgets: whoever walks as fast as it may, from the start
// on, comes no further than this.
TEST(MoveLine, ADishonestPlayerComesNoFurtherThanItMay) {
  const MoveRules rules = wide_rules();
  const auto jitter = static_cast<double>(rules.jitter.count());
  const double pace = 5 * 1.0101 / 1000;  // m/ms, with the tolerance and its rounding
  int corrections = 0;
  for (unsigned seed = 0; seed < runs(); ++seed) {
    SCOPED_TRACE(seed);
    LineSimulation line(rules, {}, seed);
    double gone = 0;
    std::vector<std::pair<std::int64_t, Position>> trace{{0, {}}};
    line.on_accepted = [&](const Locomotion& from, const Locomotion& to) {
      gone += distance(from.position, to.position);
      ASSERT_LE(gone, pace * (static_cast<double>(line.now()) + jitter));
      trace.emplace_back(line.now(), to.position);
    };
    const double hack = 1 + seed % 5 * 0.5;
    for (int i = 0; i < 1000 && !testing::Test::HasFatalFailure(); ++i) {
      line.frame([&](MoveReport& report) {
        if (seed % 2 == 0) lie_about(report, line);
        const Position& at = line.check().state().position;
        report.move.position.x = at.x + (report.move.position.x - at.x) * static_cast<float>(hack);
      });
    }
    corrections += line.corrections();
    // In any stretch of time, too: what can be saved up is bounded.
    const auto saved = jitter + static_cast<double>(kAnswerWait.count());
    for (std::size_t i = 0; i < trace.size(); i += 7) {
      for (std::size_t j = i; j < trace.size(); j += 5) {
        const auto passed = static_cast<double>(trace[j].first - trace[i].first);
        ASSERT_LE(distance(trace[i].second, trace[j].second), pace * (passed + saved));
      }
    }
  }
  EXPECT_GT(corrections, static_cast<int>(runs()));
}

}  // namespace
}  // namespace starbus::nodes::movement
