#include "bench/harness/suite.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace starbus::bench {
namespace {

class Suite : public testing::Test {
 protected:
  SuiteCase measured(const std::string& name, double value, std::optional<Bar> bar = {}) {
    SuiteCase one{.name = name, .peers = {"nats", "starbus"}};
    one.run = [this, name, value](const std::string& peer, int) -> Result<Metrics> {
      ran.push_back(name + "." + peer);
      return Metrics{{"p50", value}};
    };
    one.rows = {{name + ".p50", "us", {name, "p50"}, {}, bar}};
    return one;
  }
  int run(const std::vector<SuiteCase>& cases) {
    return run_suite(options, cases, Report("suite", {{"nats", "starbus"}, "starbus", {"nats"}}));
  }

  SuiteOptions options;
  std::vector<std::string> ran;
};

using Names = std::vector<std::string>;

TEST_F(Suite, PeersAlternateAndAnotherBeginsEachTime) {
  options.repetitions = 2;
  EXPECT_EQ(run({measured("a", 1), measured("b", 1)}), 0);
  EXPECT_EQ(ran, (Names{"a.nats", "a.starbus", "b.nats", "b.starbus",  //
                        "a.starbus", "a.nats", "b.starbus", "b.nats"}));
}

TEST_F(Suite, RunsChosenCasesAndPeersAlone) {
  options.repetitions = 1;
  options.glob = "b*";
  options.peers = {"starbus", "zmq"};
  EXPECT_EQ(run({measured("a", 1), measured("b", 1), measured("b2", 1)}), 0);
  EXPECT_EQ(ran, (Names{"b.starbus", "b2.starbus"}));
}

TEST_F(Suite, RunsCasesThatAChosenOneIsDividedBy) {
  options.repetitions = 1;
  options.glob = "b";
  options.peers = {"starbus"};
  SuiteCase divided = measured("b", 1);
  divided.needs = {"a"};
  EXPECT_EQ(run({measured("a", 1), divided, measured("c", 1)}), 0);
  EXPECT_EQ(ran, (Names{"a.starbus", "b.starbus"}));
}

TEST_F(Suite, RefusesAGlobThatMatchesNothing) {
  options.glob = "c";
  EXPECT_EQ(run({measured("a", 1)}), kWrongOption);
}

TEST_F(Suite, CheckTellsMissedBarsFromMetOnes) {
  options.repetitions = 1;
  const Bar bar{Bar::Kind::at_most, 5};
  EXPECT_EQ(run({measured("a", 6, bar)}), 0);
  options.check = true;
  EXPECT_EQ(run({measured("a", 6, bar)}), kMissedBar);
  EXPECT_EQ(run({measured("a", 5, bar)}), 0);
  EXPECT_EQ(run({measured("a", 5)}), kWrongOption);  // nothing to check
}

TEST_F(Suite, APromiseThatIsBrokenFailsWithoutCheck) {
  options.repetitions = 1;
  Bar bar{Bar::Kind::at_most, 0};
  bar.promise = true;
  EXPECT_EQ(run({measured("a", 1, bar)}), kMissedBar);
  EXPECT_EQ(run({measured("a", 0, bar)}), 0);
}

TEST_F(Suite, FailsIfARunFailsOrThrows) {
  options.repetitions = 1;
  SuiteCase failing = measured("a", 1);
  failing.run = [](const std::string&, int) -> Result<Metrics> { return fail("on purpose"); };
  EXPECT_EQ(run({failing}), kFailed);
  failing.run = [](const std::string&, int) -> Result<Metrics> {
    throw std::runtime_error("on purpose");
  };
  EXPECT_EQ(run({failing}), kFailed);
}

TEST_F(Suite, RowsOfUnknownMetricsComeFromTheFirstRun) {
  options.repetitions = 2;
  SuiteCase one = measured("a", 6);
  one.rows.clear();
  int asked = 0;
  one.peers = {"starbus"};
  one.row_of = [&](const std::string& metric) {
    ++asked;
    return Row{"a." + metric, "us", {"a", metric}};
  };
  EXPECT_EQ(run({one}), 0);
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace starbus::bench
