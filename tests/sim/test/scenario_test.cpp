// Every scripted scenario as a test of its own.
#include <gtest/gtest.h>

#include "tests/sim/script.hpp"

namespace starbus::sim {

void PrintTo(const Scenario& scenario, std::ostream* out) {
  *out << scenario.title;
}

namespace {

class ScenarioTest : public testing::TestWithParam<Scenario> {};

TEST_P(ScenarioTest, Holds) {
  try {
    GetParam().run(nullptr);
  } catch (const Violation& violation) {
    FAIL() << GetParam().name << ", " << GetParam().title << ": " << violation.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Script, ScenarioTest, testing::ValuesIn(all_scenarios()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace starbus::sim
