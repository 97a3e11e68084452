// The oracle of logs: what it must let pass, and what it must not.
#include "tests/sim/oracles/log_oracle.hpp"

#include <gtest/gtest.h>

#include "tests/sim/oracles/oracle.hpp"

namespace starbus::sim {
namespace {

const std::string kLog = "log/news";

class LogOracleTest : public testing::Test {
 protected:
  /// One message of 10 bytes at this time, with which retention erases up to `floor`.
  void append(std::uint64_t time_ms, std::uint64_t floor) {
    const LogOracle::Bounds now{floor, before.last + 1};
    oracle.durable(kLog, before, now, {{100 + now.last, time_ms, 10}}, quota, time_ms);
    before = now;
  }
  void erase(std::uint64_t time_ms, std::uint64_t floor) {
    oracle.durable(kLog, before, {floor, before.last}, {}, quota, time_ms);
    before.floor = floor;
  }
  LogOracle oracle;
  LogOracle::Quota quota{kLog, 2, 0, 1'000};
  LogOracle::Bounds before;
};

TEST_F(LogOracleTest, LetsRetentionAndItsJumpPass) {
  append(1, 0);
  append(2, 0);
  append(3, 1);
  EXPECT_EQ(oracle.read("a", kLog, 2, 102), 1U);
  EXPECT_EQ(oracle.read("a", kLog, 3, 103), 0U);
  EXPECT_NO_THROW(erase(2'000, 3));
  EXPECT_NO_THROW(append(2'001, 3));
}

TEST_F(LogOracleTest, SeesOneTooMany) {
  append(1, 0);
  append(2, 0);
  EXPECT_THROW(append(3, 2), Violation);
}

TEST_F(LogOracleTest, SeesWhatIsTakenBeforeItsTime) {
  append(1, 0);
  EXPECT_THROW(erase(1'001, 1), Violation);
}

TEST_F(LogOracleTest, SeesWhatIsTakenBeforeItIsDurable) {
  quota.messages = 1;
  append(1, 0);
  EXPECT_THROW(append(2, 2), Violation);
}

TEST_F(LogOracleTest, SeesNumbersThatBeginAgain) {
  append(1, 0);
  erase(2'000, 1);
  before = {};
  EXPECT_THROW(append(2'001, 0), Violation);
}

TEST_F(LogOracleTest, SeesWhatAFollowerMissesOrSeesTwice) {
  append(1, 0);
  append(2, 0);
  EXPECT_THROW(oracle.read("a", kLog, 2, 102), Violation);
  EXPECT_THROW(oracle.read("a", kLog, 1, 102), Violation);
  EXPECT_EQ(oracle.read("a", kLog, 1, 101), 0U);
  EXPECT_THROW(oracle.read("a", kLog, 1, 101), Violation);
}

TEST_F(LogOracleTest, SeesWhoJoinsElsewhereThanAtTheEnd) {
  append(1, 0);
  append(2, 0);
  EXPECT_THROW(oracle.join("a", kLog, 2, 1), Violation);
  EXPECT_THROW(oracle.join("a", kLog, 2, 3), Violation);
  EXPECT_NO_THROW(oracle.join("a", kLog, 1, 2));
}

TEST_F(LogOracleTest, SeesWhatIsKeptBeyondItsBound) {
  append(1, 0);
  append(2, 0);
  append(3, 0);
  EXPECT_THROW(oracle.check(kLog, {0, 3, {{1, 101}, {2, 102}, {3, 103}}}, quota), Violation);
}

}  // namespace
}  // namespace starbus::sim
