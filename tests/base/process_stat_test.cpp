/// What /proc says of processes, also of those that end while it is read.
#include "base/process_stat.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/text_of_file.hpp"

namespace starbus {
namespace {

TEST(TextOfFile, IsWhatTheFileHolds) {
  const std::string name = "/tmp/starbus-text-" + std::to_string(::getpid());
  const std::string text("a\0b\r\n\xff", 6);
  std::ofstream(name, std::ios::binary) << text;
  EXPECT_EQ(text_of_file(name), text);
  std::ofstream(name, std::ios::trunc).flush();
  EXPECT_EQ(text_of_file(name), "");
  ::unlink(name.c_str());
  EXPECT_EQ(text_of_file(name), "");
}

TEST(TextOfFile, IsEmptyWhereReadingFails) {
  EXPECT_EQ(text_of_file("/proc/self/mem"), "") << "the first page is never mapped: EIO";
  EXPECT_EQ(text_of_file("/proc"), "");
}

TEST(ProcessStatTest, OfThisProcess) {
  const auto stat = ProcessStat::of(::getpid());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->text(ProcessStat::state), "R");
  EXPECT_GT(stat->number(ProcessStat::start_ticks), 0U);
  EXPECT_GT(stat->number(ProcessStat::resident_pages), 0U);
  EXPECT_EQ(stat->number(ProcessStat::state), 0U) << "no number";
}

TEST(ProcessStatTest, OfOneThatEndsMeanwhile) {
  EXPECT_FALSE(ProcessStat::of(0));
  for (int round = 0; round < 100; ++round) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ASSERT_GT(child, 0);
    std::string state = "R";
    while (state != "Z") {
      const auto stat = ProcessStat::of(child);
      ASSERT_TRUE(stat) << "until somebody waits for it";
      state = stat->text(ProcessStat::state);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_FALSE(ProcessStat::of(child));
  }
}

}  // namespace
}  // namespace starbus
