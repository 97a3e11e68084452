// busd as it is, but for its mail store's disk, which ends the process where a test says, and its
// clock, which the test sets ahead (crash_sheet.hpp). Never installed.
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "bus/core/wire/version.hpp"
#include "busd/busd.hpp"
#include "daemon/main_loop.hpp"
#include "tests/cluster/crash_points/busd/crashing_env.hpp"

int main(int argc, char** argv) {
  using namespace starbus;
  const char* const sheet = std::getenv(cluster_test::CrashSheet::kVariable);  // NOLINT: one thread
  if (sheet == nullptr) {
    std::cerr << cluster_test::CrashSheet::kVariable << " is not set" << std::endl;
    return 2;
  }
  // Its threads may outlive main.
  auto& env = *new cluster_test::CrashingEnv(cluster_test::CrashSheet::open(sheet));
  const auto& clock = *new cluster_test::CrashSheet(cluster_test::CrashSheet::open(sheet));
  const auto wall_ms = [&clock] {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return clock.clock_ahead() +
           static_cast<std::uint64_t>(
               std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  };
  const daemon::DaemonInfo info{.name = "busd",
                                .version = bus::kVersion,
                                .description = "busd, for tests of crashes.",
                                .admin_listen = "127.0.0.1:7611",
                                .ends_at_once = true};
  return daemon::run_daemon(info, std::make_unique<busd::Busd>(&env, wall_ms), argc, argv);
}
