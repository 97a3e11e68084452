// busd as it is, but for its mail store's disk, which ends the process where a test says
// (crash_sheet.hpp). Never installed.
#include <cstdlib>
#include <iostream>

#include "bus/core/version.hpp"
#include "bus/daemon/main_loop.hpp"
#include "busd/busd.hpp"
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
  const bus::daemon::DaemonInfo info{.name = "busd",
                                     .version = bus::kVersion,
                                     .description = "busd, for tests of crashes.",
                                     .admin_listen = "127.0.0.1:7611",
                                     .ends_at_once = true};
  return bus::daemon::run_daemon(info, std::make_unique<bus::busd::Busd>(&env), argc, argv);
}
