// The oracle itself: what it must let pass, and what it must not.
#include "tests/sim/oracles/oracle.hpp"

#include <gtest/gtest.h>

namespace starbus::sim {
namespace {

using bus::Errc;
using bus::Lane;

class OracleTest : public testing::Test {
 protected:
  MessageId issue() { return oracle.issue({0, 1}, 1, Lane::call); }
  void check_end() {
    oracle.check_end([](const Oracle::Sender&) { return true; });
  }
  Oracle oracle;
};

TEST_F(OracleTest, LetsOrderedTrafficPass) {
  const MessageId first = issue();
  const MessageId second = issue();
  oracle.handled(first);
  oracle.handled(second);
  oracle.acknowledged(first);
  EXPECT_NO_THROW(check_end());
}

TEST_F(OracleTest, SeesADuplicate) {
  const MessageId id = issue();
  oracle.handled(id);
  EXPECT_THROW(oracle.handled(id), Violation);
}

TEST_F(OracleTest, SeesAnUnreportedGap) {
  issue();
  EXPECT_THROW(oracle.handled(issue()), Violation);
}

TEST_F(OracleTest, ExcusesWhatWasReported) {
  const MessageId first = issue();
  const MessageId second = issue();
  oracle.disturbed();
  oracle.failed(first, Errc::owner_lost, true, false);
  EXPECT_NO_THROW(oracle.handled(second));
}

TEST_F(OracleTest, SeesReordering) {
  const MessageId first = issue();
  const MessageId second = issue();
  oracle.withdrawn(first);
  oracle.handled(second);
  EXPECT_THROW(oracle.handled(first), Violation);
}

TEST_F(OracleTest, SeesALossAtTheEnd) {
  issue();
  EXPECT_THROW(check_end(), Violation);
}

TEST_F(OracleTest, SeesADefiniteFailureOfAHandledMessage) {
  const MessageId id = issue();
  oracle.disturbed();
  oracle.handled(id);
  EXPECT_THROW(oracle.failed(id, Errc::no_owner, false, false), Violation);
}

TEST_F(OracleTest, SeesHandlingAfterADefiniteFailure) {
  const MessageId id = issue();
  oracle.disturbed();
  oracle.failed(id, Errc::no_owner, false, false);
  EXPECT_THROW(oracle.handled(id), Violation);
}

TEST_F(OracleTest, SeesNoOwnerForWhatHasLeft) {
  oracle.disturbed();
  EXPECT_THROW(oracle.failed(issue(), Errc::no_owner, true, true), Violation);
}

TEST_F(OracleTest, SeesFailuresWhileNobodyDied) {
  EXPECT_THROW(oracle.failed(issue(), Errc::owner_lost, true, false), Violation);
  EXPECT_NO_THROW(oracle.failed(issue(), Errc::expired, true, false));
}

TEST_F(OracleTest, SeesALossWhileTheOwnerStays) {
  oracle.disturbed();
  const MessageId id = issue();
  oracle.expect_owner(id, 5);
  const MessageId other = issue();
  oracle.expect_owner(other, 5);
  EXPECT_NO_THROW(oracle.failed(other, Errc::owner_lost, true, false, 6));
  EXPECT_THROW(oracle.failed(id, Errc::owner_lost, true, false, 5), Violation);
}

TEST_F(OracleTest, SeesTwoOutcomes) {
  const MessageId id = issue();
  oracle.handled(id);
  oracle.acknowledged(id);
  EXPECT_THROW(oracle.acknowledged(id), Violation);
}

TEST_F(OracleTest, SeesAnAcknowledgementWithoutAHandler) {
  EXPECT_THROW(oracle.acknowledged(issue()), Violation);
}

TEST_F(OracleTest, SeesTornState) {
  EntityState state;
  oracle.begin_life(1, 5, state);
  oracle.life_handled(1, 5, issue());
  EXPECT_THROW(oracle.check_state(1, 5, state, "here"), Violation);
}

}  // namespace
}  // namespace starbus::sim
