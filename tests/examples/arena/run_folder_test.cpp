/// Programs of a run: found, killed and started, and no others.
#include "examples/arena/operator/run_folder.hpp"

#include <gmock/gmock.h>

#include "tests/examples/arena/run.hpp"

namespace arena::view {
namespace {

using test::wait_for;
using testing::HasSubstr;

class ArenaRunFolder : public testing::Test {
 protected:
  ArenaRunFolder() {
    run_.add("one");
    run_.add("two");
  }
  RunFolder folder() const { return RunFolder(run_.path(), run_.programs); }
  Process started(const std::string& name) const {
    const Outcome outcome = folder().start(name);
    EXPECT_FALSE(outcome) << outcome->why;
    std::optional<Process> process;
    // Memory: the script has become the program.
    EXPECT_TRUE(wait_for([&] {
      process = folder().look(*folder().find(name));
      return process && process->memory > 0;
    }));
    return process.value_or(Process{});
  }
  static void expect_refused(const Outcome& outcome, unsigned status, const std::string& why) {
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->status, status);
    EXPECT_THAT(outcome->why, HasSubstr(why));
  }

  test::Run run_;
};

TEST_F(ArenaRunFolder, StartsShowsAndKills) {
  EXPECT_FALSE(folder().look(run_.programs[0]));
  const Process process = started("one");
  EXPECT_GT(process.pid, 0);
  EXPECT_GT(process.started, 0U);
  EXPECT_GE(process.processor, 0);
  EXPECT_FALSE(folder().look(run_.programs[1])) << "the other one is another one";
  EXPECT_FALSE(folder().kill("one", process.pid, process.started));
  EXPECT_TRUE(wait_for([&] { return !folder().look(run_.programs[0]); }));
  const Process again = started("one");
  EXPECT_NE(again.pid, process.pid);
  EXPECT_FALSE(folder().kill("one", again.pid, again.started));
}

TEST_F(ArenaRunFolder, FindsAScriptWhileItBecomesItsProgram) {
  for (int round = 0; round < 40; ++round) {
    ASSERT_FALSE(folder().start("one"));
    const auto process = folder().look(run_.programs[0]);
    ASSERT_TRUE(process) << "round " << round;
    ASSERT_FALSE(folder().kill("one", process->pid, process->started));
    ASSERT_TRUE(wait_for([&] { return !folder().look(run_.programs[0]); }));
  }
}

TEST_F(ArenaRunFolder, KillsNoOtherProcess) {
  const Process process = started("one");
  expect_refused(folder().kill("one", process.pid, process.started + 1), 422, "another process");
  expect_refused(folder().kill("one", process.pid + 1, process.started), 422, "another process");
  expect_refused(folder().kill("one", 0, process.started), 422, "another process");
  expect_refused(folder().kill("one", -process.pid, process.started), 422, "another process");
  expect_refused(folder().kill("two", process.pid, process.started), 422, "two: is not running");
  expect_refused(folder().kill("three", process.pid, process.started), 404, "three");
  EXPECT_TRUE(folder().look(run_.programs[0]));
}

/// The file is of a time before a reboot: its number is that of somebody else.
TEST_F(ArenaRunFolder, AProcessThatDoesNotNameTheFolderIsNotOfTheRun) {
  run_.write("one.pid", std::to_string(::getpid()) + "\n");
  EXPECT_FALSE(folder().look(run_.programs[0]));
  expect_refused(folder().kill("one", ::getpid(), 1), 422, "is not running");
  for (const char* text : {"", "0\n", "-1\n", "1x\n", "99999999999999999999\n", "\n1\n"}) {
    run_.write("one.pid", text);
    EXPECT_FALSE(folder().look(run_.programs[0])) << text;
  }
}

TEST_F(ArenaRunFolder, StartsNothingTwiceAndNothingUnknown) {
  started("one");
  expect_refused(folder().start("one"), 422, "runs already");
  expect_refused(folder().start("../one"), 404, "no program");
  std::filesystem::remove(run_.path() / "start" / "two");
  expect_refused(folder().start("two"), 422, "No such file");
  EXPECT_FALSE(std::filesystem::exists(run_.path() / "two.pid"));
}

}  // namespace
}  // namespace arena::view
