#include "daemon/logging.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file_descriptor.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;

class Logging : public testing::Test {
 protected:
  LogConfig to_file(const std::string& format) const {
    return {"info", format, (folder_.path() / "log").string()};
  }
  std::vector<std::string> lines() const { return test::lines_of(folder_.read("log")); }

  test::TempFolder folder_;
  test::LogCapture former_;  // puts the default logger back afterwards
};

TEST_F(Logging, JsonLinesParseWhateverTheMessageHolds) {
  ASSERT_TRUE(start_logging(to_file("json"), "busd \"x\""));
  const std::string hostile =
      std::string("quote \" back \\ line\nbreak\r\t") + '\0' + "\x01\x1b[31m";
  spdlog::warn("{}", hostile);
  spdlog::warn("{}", "broken \xff\xc3 utf8 \xed\xa0\x80 end");
  spdlog::warn("{}", "caf\xc3\xa9");
  const auto all = lines();
  ASSERT_EQ(all.size(), 3U);
  const auto first = nlohmann::json::parse(all[0]);
  EXPECT_EQ(first["message"], hostile);
  EXPECT_EQ(first["level"], "warning");
  EXPECT_EQ(first["logger"], "busd \"x\"");
  EXPECT_THAT(first["time"].get<std::string>(),
              MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[.][0-9]{3}Z"));
  const auto broken = nlohmann::json::parse(all[1])["message"].get<std::string>();
  EXPECT_THAT(broken, HasSubstr("broken \xef\xbf\xbd"));
  EXPECT_THAT(broken, HasSubstr(" end"));
  EXPECT_EQ(nlohmann::json::parse(all[2])["message"], "caf\xc3\xa9");
}

TEST_F(Logging, TextIsOneLinePerMessageAndCannotBeForged) {
  ASSERT_TRUE(start_logging(to_file("text"), "busd"));
  spdlog::error("{}",
                "name\n2026-01-01T00:00:00.000Z critical busd: forged\x1b[2J \xc2\x9b caf\xc3\xa9");
  const auto all = lines();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0], MatchesRegex("[0-9T:.-]*Z error   busd: name.n2026.*"));
  EXPECT_THAT(all[0], HasSubstr("forged\\x1b[2J \\u009b caf\xc3\xa9"));
}

// A name with directional controls would show its line in another order.
TEST_F(Logging, DirectionalControlsAreShownAndNotObeyed) {
  ASSERT_TRUE(start_logging(to_file("text"), "busd"));
  spdlog::error("{}",
                "a\xe2\x80\xae"
                "b\xe2\x81\xa6"
                "c\xd8\x9c"
                "d\xef\xbb\xbf"
                "e \xe2\x82\xac \xe2\x80");
  EXPECT_THAT(lines().at(0), EndsWith("a\\u202eb\\u2066c\\u061cd\\ufeffe \xe2\x82\xac \xe2\x80"));
}

TEST_F(Logging, TheAuditCannotBeSilenced) {
  ASSERT_TRUE(start_logging(to_file("text"), "busd"));
  ASSERT_TRUE(set_log_level("off"));
  spdlog::critical("hidden");
  log_audit("uid 0 (root) pid 1: POST /log: 200");
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_THAT(lines()[0], EndsWith("warning audit: uid 0 (root) pid 1: POST /log: 200"));
}

TEST_F(Logging, LevelChangesAtRunTime) {
  ASSERT_TRUE(start_logging(to_file("text"), "busd"));
  spdlog::debug("hidden");
  ASSERT_TRUE(set_log_level("debug"));
  EXPECT_EQ(log_level(), "debug");
  spdlog::debug("shown");
  ASSERT_TRUE(set_log_level("error"));
  spdlog::warn("hidden again");
  EXPECT_THAT(folder_.read("log"), HasSubstr("shown"));
  EXPECT_EQ(lines().size(), 1U);
  EXPECT_EQ(set_log_level("loud").error(), bus::Errc::bad_config);
  EXPECT_EQ(log_level(), "error");
}

TEST_F(Logging, ReopensARotatedFile) {
  ASSERT_TRUE(start_logging(to_file("text"), "busd"));
  spdlog::info("one");
  std::filesystem::rename(folder_.path() / "log", folder_.path() / "log.1");
  spdlog::info("two");
  ASSERT_TRUE(reopen_log());
  spdlog::info("three");
  EXPECT_EQ(test::lines_of(folder_.read("log.1")).size(), 2U);
  EXPECT_THAT(folder_.read("log"), HasSubstr("three"));
}

TEST_F(Logging, AFileThatCannotBeOpenedIsAnError) {
  const auto started = start_logging({"info", "text", "/no/such/folder/log"}, "busd");
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, bus::Errc::io_error);
  EXPECT_THAT(started.error().detail, HasSubstr("/no/such/folder/log: No such file"));
}

TEST_F(Logging, AFullDiskIsNotAnError) {
  ASSERT_TRUE(start_logging({"info", "text", "/dev/full"}, "busd"));
  spdlog::info("nobody will read this");
}

TEST_F(Logging, UnderTheJournalLinesHavePrioritiesAndNoTime) {
  const FileDescriptor file(::open((folder_.path() / "journal").c_str(), O_CREAT | O_RDWR, 0600));
  struct stat status {};
  ASSERT_EQ(::fstat(file.get(), &status), 0);
  const FileDescriptor former(::dup(STDERR_FILENO));
  {
    const test::Environment journal(
        "JOURNAL_STREAM", std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino));
    EXPECT_FALSE(stderr_is_journal());  // inherited, but stderr is another file
    ::dup2(file.get(), STDERR_FILENO);
    EXPECT_TRUE(stderr_is_journal());
    ASSERT_TRUE(start_logging({"debug", "text", "stderr"}, "busd"));
    spdlog::critical("c");
    spdlog::error("e");
    spdlog::warn("w");
    spdlog::info("i");
    spdlog::debug("d");
  }
  ::dup2(former.get(), STDERR_FILENO);
  EXPECT_EQ(folder_.read("journal"),
            "<2>busd: c\n<3>busd: e\n<4>busd: w\n<6>busd: i\n<7>busd: d\n");
}

TEST_F(Logging, ReadsItsTable) {
  auto reader =
      ConfigReader::parse("[log]\nlevel='debug'\nformat='json'\ntarget='/x'\n", "f").value();
  const LogConfig config = read_log_config(reader.table("log"));
  EXPECT_EQ(config.level, "debug");
  EXPECT_EQ(config.format, "json");
  EXPECT_EQ(config.target, "/x");
  EXPECT_TRUE(reader.finish());
  auto bad = ConfigReader::parse("[log]\nlevel='loud'\nformat='xml'\ntarget=''\n", "f").value();
  read_log_config(bad.table("log"));
  EXPECT_EQ(test::lines_of(bad.finish().error().detail).size(), 3U);
}

}  // namespace
}  // namespace starbus::daemon
