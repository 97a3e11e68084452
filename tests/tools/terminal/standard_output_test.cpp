// Programs whose output cannot be written: they say so, and their exit code does.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>

#include "tests/places.hpp"

namespace starbus::tools {
namespace {

using testing::HasSubstr;

struct Ran {
  int code = -1;
  std::string err;
};
/// In a shell, with standard error shown.
Ran run(const std::string& name, const std::string& rest) {
  std::FILE* const pipe = ::popen(("{ " + program(name) + " " + rest + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) return {};
  Ran ran;
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, pipe)) {
    ran.err.append(part, size);
  }
  ran.code = WEXITSTATUS(::pclose(pipe));
  return ran;
}

struct Tool {
  std::string name;
  int failed;
};
const Tool kTools[] = {{"starbus-mail", 1},
                       {"starbus-db-tool", 1},
                       {"starbus-keygen", 1},
                       {"starbus", 1},
                       {"bustop", 4}};

TEST(StandardOutputTest, AFullDiskIsSaidAndFails) {
  for (const auto& [name, failed] : kTools) {
    for (const char* const arguments : {"--help", "--version"}) {
      const Ran ran = run(name, std::string(arguments) + " >/dev/full");
      EXPECT_EQ(ran.code, failed) << name;
      EXPECT_EQ(ran.err, name + ": standard output cannot be written: No space left on device\n");
    }
  }
}

TEST(StandardOutputTest, AClosedOutputIsSaidAndFails) {
  const Ran ran = run("starbus-mail", "--help >&-");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "starbus-mail: standard output cannot be written: Bad file descriptor\n");
}

TEST(StandardOutputTest, ACommandThatFailedKeepsItsCode) {
  const Ran ran = run("starbus-mail", "nonsense >/dev/full");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no command"));
}

TEST(StandardOutputTest, WhatCanBeWrittenIsThereToTheLastByte) {
  for (const auto& [name, failed] : kTools) {
    const Ran ran = run(name, "--help");
    EXPECT_EQ(ran.code, 0) << name;
    EXPECT_THAT(ran.err, HasSubstr(name));
    EXPECT_EQ(ran.err.back(), '\n');
  }
}

TEST(StandardOutputTest, AReaderMayGoAway) {
  const Ran ran = run("starbus-mail", "--help | true; } 2>&1; { ( " + program("starbus-mail") +
                                          " --help; echo $? >&2 ) | true");
  EXPECT_EQ(ran.err, "0\n");
}

}  // namespace
}  // namespace starbus::tools
