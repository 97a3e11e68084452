/// Who holds how much of what busd has for all, as operators see it.
#include <gtest/gtest.h>

#include <string>

#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

class HostAccounts : public HostRouterTest {
 protected:
  static HostConfig with_slow_role() {
    HostConfig config = HostRouterTest::config();
    Role slow;
    slow.name = "slow";
    slow.bind = slow.send = {""};
    slow.messages_per_second = 10;
    config.access = AccessList({slow});
    return config;
  }
  const UserHoldings& user(std::uint32_t uid) {
    report = router.account_report();
    const auto found = std::ranges::find(report.users, uid, &UserHoldings::uid);
    if (found != report.users.end()) return *found;
    ADD_FAILURE() << "no uid " << uid;
    return nobody;
  }

  AccountReport report;
  UserHoldings nobody;
};

class HostAccountsSlow : public HostAccounts {
 protected:
  HostAccountsSlow() { router.set_access_list(with_slow_role().access); }
};

TEST_F(HostAccounts, SessionsAndNamesAreOfTheirUserAndProgram) {
  root();
  join("one", {.pid = 10, .rows = {row("x/1", 1), row("x/2", 2)}, .uid = 1'001});
  join("two", {.pid = 10, .rows = {row("x/3", 3)}, .uid = 1'001});
  join("three", {.pid = 11, .uid = 1'001});
  join("other", {.pid = 12, .uid = 1'002});
  const UserHoldings one = user(1'001);
  EXPECT_EQ(one.processes, 3u);
  EXPECT_EQ(one.links, 3u);
  EXPECT_EQ(one.names, 3u);
  ASSERT_EQ(one.programs.size(), 2u);
  EXPECT_EQ(one.programs[0].pid, 10);
  EXPECT_EQ(one.programs[0].processes, 2u);
  EXPECT_EQ(one.programs[0].names, 3u);
  EXPECT_EQ(user(1'002).processes, 1u);
  EXPECT_EQ(report.processes, 4u);
  EXPECT_EQ(report.names, 3u);
  EXPECT_EQ(report.max_processes, kMaxProcesses);
}

TEST_F(HostAccounts, QueuedBytesAreOfTheSender) {
  root();
  Peer& sender = join("sender", {.pid = 10, .uid = 1'001});
  Peer& deaf = join("deaf", {.pid = 11, .rows = {row("x/1")}, .uid = 1'002});
  deaf.stop();
  const std::string body(16 * 1024, 'x');
  for (std::uint64_t seq = 1; seq <= 100; ++seq) sender.say_run(run_to("x/1", seq), body);
  harness.run();
  EXPECT_GT(user(1'001).queued, body.size());
  EXPECT_EQ(user(1'002).queued, 0u);
  EXPECT_EQ(report.queued, user(1'001).queued);
}

TEST_F(HostAccountsSlow, WhatIsAboveTheRateIsCountedForItsProgram) {
  root();
  join("one", {.role = "slow", .rows = {row("x/1")}, .uid = 1'002});
  Peer& fast = join("fast", {.pid = 10, .role = "slow", .uid = 1'001});
  for (std::uint64_t seq = 1; seq <= 25; ++seq) fast.say_run(run_to("x/1", seq), "hello");
  harness.run();
  EXPECT_EQ(user(1'001).over_rate, 15u);
  EXPECT_EQ(user(1'001).programs.at(0).over_rate, 15u);
  EXPECT_EQ(user(1'002).over_rate, 0u);
}

TEST_F(HostAccounts, AReportNamesTheHeaviestOfManyUsers) {
  root();
  for (std::uint32_t uid = 1; uid <= 40; ++uid) {
    join("n" + std::to_string(uid), {.pid = uid, .uid = 2'000 + uid});
  }
  for (int i = 0; i < 3; ++i) join("m" + std::to_string(i), {.pid = 77, .uid = 3'000});
  report = router.account_report();
  EXPECT_EQ(report.users.size(), 2 * kReportedRows);
  EXPECT_EQ(report.users.at(0).uid, 3'000u);
  for (std::uint32_t n = 0; n < 40; ++n)
    join("p" + std::to_string(n), {.pid = 100 + n, .uid = 3'000});
  EXPECT_EQ(user(3'000).programs.size(), 2 * kReportedRows);
  EXPECT_EQ(user(3'000).programs.at(0).pid, 77);
}

}  // namespace
}  // namespace starbus::bus::test
