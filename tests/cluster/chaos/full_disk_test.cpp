// The disk below a daemon's state folder is full: it says so, and goes on with what it has; or it
// refuses to start until there is room. Nothing is lost either way.
#include <gtest/gtest.h>

#include <iostream>
#include <thread>

#include "tests/cluster/chaos/chaos_run.hpp"
#include "tests/cluster/chaos/private_mounts.hpp"
#include "tests/cluster/chaos/verdict.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kDisk = 64 * 1024;

class FullDisk : public ClusterTest {
 protected:
  void SetUp() override {
    if (const auto refused = enter_private_mounts(); !refused.empty()) GTEST_SKIP() << refused;
  }

  /// The daemon moves onto a disk of its own, which is full when this returns.
  std::unique_ptr<SmallDisk> onto_full_disk(Cluster& cluster, const std::string& name) {
    Daemon& daemon = cluster.daemon(name);
    daemon.kill();
    auto disk = std::make_unique<SmallDisk>(daemon.state_folder(), kDisk);
    daemon.start();
    EXPECT_TRUE(wait_for(10s, [&] { return daemon.serves(); }));
    disk->fill();
    return disk;
  }

  static void expect_exact(ChaosRun& chaos) {
    EXPECT_TRUE(chaos.settle(30s));
    const Verdict verdict = judge(chaos.board());
    std::cout << verdict.to_string() << std::endl;
    EXPECT_TRUE(verdict.sound()) << verdict.to_string();
    EXPECT_EQ(verdict.handled, verdict.sent);
    EXPECT_TRUE(verdict.failures.empty()) << verdict.to_string();
  }
};

class FullDiskBelow : public FullDisk, public ::testing::WithParamInterface<std::string> {};

/// It cannot note its term, or its incarnation, so it may not start: it ends with the reason, and
/// starts as soon as there is room.
TEST_P(FullDiskBelow, ADaemonThatIsRestartedRefusesUntilThereIsRoom) {
  ChaosRun chaos({.messages = 20'000, .span = 4s});
  const auto disk = onto_full_disk(chaos.cluster(), GetParam());
  chaos.start();
  chaos.sleep_until(1s);
  Daemon& daemon = chaos.cluster().daemon(GetParam());
  for (int attempt = 0; attempt < 3; ++attempt) {
    daemon.kill();
    // As start() will: that made room.
    for (const char* note : {"admin", "admin_socket"}) {
      std::filesystem::remove(daemon.state_folder() / note);
    }
    disk->fill();
    daemon.start();
    EXPECT_NE(daemon.process().wait(5s).value_or(0), 0) << "it serves without a note";
  }
  EXPECT_GE(daemon.log_lines_with("io_error"), 3U) << daemon.log();
  EXPECT_GE(daemon.log_lines_with("No space left on device"), 3U) << daemon.log();
  disk->make_room();
  daemon.start();
  expect_exact(chaos);
}

/// While it runs, the other side restarts: busd learns a new term, busroot hears of the hosts.
TEST_P(FullDiskBelow, ADaemonThatRunsGoesOn) {
  ChaosRun chaos({.messages = 20'000, .span = 4s});
  const auto disk = onto_full_disk(chaos.cluster(), GetParam());
  chaos.start();
  chaos.sleep_until(1s);
  const std::string other = GetParam() == "root" ? "a" : "root";
  chaos.kill_daemon(other);
  chaos.sleep_until(2s);
  Daemon& daemon = chaos.cluster().daemon(GetParam());
  EXPECT_FALSE(daemon.process().ended().has_value()) << daemon.log();
  expect_exact(chaos);
  if (GetParam() == "root") return;  // it had nothing to write
  EXPECT_GE(daemon.log_lines_with("No space left on device"), 1U) << daemon.log();
  disk->make_room();
  EXPECT_TRUE(wait_for(5s, [&] { return daemon.log_lines_with("is on disk now") > 0; }));
}

/// busd's journal is cut within a line. When there is room, it is written anew, so that a restart
/// knows all processes.
TEST_F(FullDisk, LeavesAJournalThatIsWholeAgainWhenThereIsRoom) {
  run([this]() -> Task {
    constexpr std::size_t kProcesses = 50;
    const std::string filler(90, 'x');  // so that their lines need a page more
    Cluster cluster({.hosts = {"a"}});
    const auto disk = onto_full_disk(cluster, "a");
    Daemon& busd = cluster.busd("a");
    std::vector<std::unique_ptr<Bus>> nodes;
    for (std::size_t i = 0; i < kProcesses; ++i) {
      const auto options = cluster.node("a", std::to_string(i) + filler);
      nodes.push_back(std::make_unique<Bus>(loop, options));
      CO_OK(co_await nodes.back()->connect(use_awaitable));
    }
    EXPECT_GE(busd.log_lines_with("No space left on device"), 1U) << busd.log();
    disk->make_room();
    CO_TRUE(co_await until(5s, [&] { return busd.log_lines_with("is on disk now") > 0; }));
    busd.restart();
    CO_TRUE(co_await until(5s, [&] { return busd.serves(); }));
    const std::string known = std::to_string(kProcesses) + " processes of an earlier busd live";
    EXPECT_EQ(busd.log_lines_with(known), 1U) << busd.log();
  });
}

INSTANTIATE_TEST_SUITE_P(Of, FullDiskBelow, ::testing::Values("a", "root"),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace starbus::cluster_test
