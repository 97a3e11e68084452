#include "nodes/manager/shutdown_plan.hpp"

#include <gmock/gmock.h>

#include "nodes/manager/limits.hpp"

namespace starbus::nodes::manager {
namespace {

using daemon::ConfigReader;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

struct Read {
  ShutdownPlan plan;
  std::string problems;
};

Read read(const std::string& text) {
  ConfigReader reader = ConfigReader::parse(text, "manager.toml").value();
  Read result;
  result.plan = read_shutdown_plan(reader.table("shutdown"));
  const auto finished = reader.finish();
  if (!finished) result.problems = finished.error().detail;
  return result;
}

TEST(ShutdownPlan, WithoutAConfigurationItIsTheDefaultOne) {
  const Read none = read("");
  EXPECT_EQ(none.problems, "");
  EXPECT_EQ(none.plan, default_shutdown_plan());
  EXPECT_EQ(none.plan.stages[none.plan.stage_of("gate")].name, "gates");
  EXPECT_EQ(none.plan.stages[none.plan.stage_of("login")].name, "gates");
  EXPECT_EQ(none.plan.stages[none.plan.stage_of("db")].name, "storage");
  EXPECT_EQ(none.plan.stages[none.plan.stage_of("auction")].name, "services");
  EXPECT_EQ(none.plan.stages[none.plan.stage_of("")].name, "services");
  EXPECT_EQ(none.plan.stage_of("manager"), none.plan.stages.size() - 1);
  EXPECT_EQ(read("[shutdown]\ndeadline = '5s'").plan.stages[2].deadline, milliseconds(5000));
}

TEST(ShutdownPlan, ConfiguredStagesKeepOrderManagersLast) {
  const Read mine = read(R"(
[shutdown]
deadline = "10s"
[[shutdown.stage]]
name = "front"
roles = ["gate"]
deadline = "3s"
[[shutdown.stage]]
name = "rest"
roles = ["*"]
)");
  EXPECT_EQ(mine.problems, "");
  ASSERT_EQ(mine.plan.stages.size(), 3u);
  EXPECT_EQ(mine.plan.stages[0], (ShutdownStage{"front", {"gate"}, milliseconds(3000)}));
  EXPECT_EQ(mine.plan.stages[1], (ShutdownStage{"rest", {"*"}, milliseconds(10'000)}));
  EXPECT_EQ(mine.plan.stages[2], (ShutdownStage{"managers", {"manager"}, milliseconds(10'000)}));
  EXPECT_EQ(mine.plan.stage_of("db"), 1u);
}

TEST(ShutdownPlan, MistakesAreNamed) {
  const auto problems = [](const std::string& stages) { return read(stages).problems; };
  const std::string rest = "[[shutdown.stage]]\nname = 'rest'\nroles = ['*']\n";
  const auto one = [&](const std::string& keys) {
    return problems(rest + "[[shutdown.stage]]\n" + keys);
  };
  EXPECT_THAT(problems("[[shutdown.stage]]\nname = 'front'\nroles = ['gate']\n"),
              HasSubstr("has the role \"*\""));
  EXPECT_THAT(one("name = 'x'\nroles = ['*']"), HasSubstr("'*': another stage has it"));
  EXPECT_THAT(one("name = 'x'\nroles = ['manager']"), HasSubstr("managers end last"));
  EXPECT_THAT(one("name = 'x'\nroles = ['a b']"), HasSubstr("'a b': no role"));
  EXPECT_THAT(one("name = 'x'\nroles = []"), HasSubstr("at least one"));
  EXPECT_THAT(one("name = 'rest'\nroles = ['gate']"), HasSubstr("another stage has it"));
  EXPECT_THAT(one("name = 'managers'\nroles = ['gate']"), HasSubstr("another stage has it"));
  EXPECT_THAT(one("name = 'a/b'\nroles = ['gate']"), HasSubstr("'name': 1..40"));
  EXPECT_THAT(one("roles = ['gate']"), HasSubstr("name"));
  EXPECT_THAT(one("name = 'x'\nroles = ['gate']\ndeadline = '1ms'"), HasSubstr("deadline"));
  EXPECT_THAT(one("name = 'x'\nrole = ['gate']"), HasSubstr("did you mean 'roles'"));
}

}  // namespace
}  // namespace starbus::nodes::manager
