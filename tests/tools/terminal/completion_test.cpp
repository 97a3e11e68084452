#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/tools/fake_daemon.hpp"

namespace starbus::bustop::test {
namespace {

using testing::HasSubstr;

std::string script(const std::string& shell) {
  const Ran ran = run({"completion", shell}, "");
  EXPECT_EQ(ran.code, 0) << ran.err;
  return ran.out;
}

std::filesystem::path written(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path;
}

TEST(Completion, BashParsesAndCompletes) {
  const auto file = written("bustop_completion.bash", script("bash"));
  EXPECT_EQ(std::system(("bash -n " + file.string()).c_str()), 0);
  const auto check = written("bustop_completion_check.bash",
                             "set -eu\nsource " + file.string() +
                                 "\n"
                                 "COMP_WORDS=(bustop do) COMP_CWORD=1; _bustop\n"
                                 "[ \"${COMPREPLY[*]}\" = doctor ]\n"
                                 "COMP_WORDS=(bustop --json channels --al) COMP_CWORD=3; _bustop\n"
                                 "[ \"${COMPREPLY[*]}\" = --all ]\n"
                                 "COMP_WORDS=(bustop completion z) COMP_CWORD=2; _bustop\n"
                                 "[ \"${COMPREPLY[*]}\" = zsh ]\n");
  EXPECT_EQ(std::system(("bash " + check.string()).c_str()), 0);
}

TEST(Completion, OtherShellsNameEveryCommand) {
  for (const char* shell : {"zsh", "fish"}) {
    const std::string text = script(shell);
    for (const char* command : {"live", "tree", "hosts", "nodes", "channels", "route", "why",
                                "tail", "rates", "doctor", "cluster", "shutdown", "completion"}) {
      EXPECT_THAT(text, HasSubstr(command)) << shell;
    }
    if (std::system((std::string("command -v ") + shell + " >/dev/null").c_str()) == 0) {
      const auto file = written(std::string("bustop_completion.") + shell, text);
      EXPECT_EQ(std::system((std::string(shell) + " -n " + file.string()).c_str()), 0) << shell;
    }
  }
  EXPECT_EQ(run({"completion", "csh"}, "").code, 64);
}

}  // namespace
}  // namespace starbus::bustop::test
