// starbus-db on a disk that obeys the file named by DISK_ORDERS: "fail" (the next fsync), "slow"
// (each takes two seconds), or nothing.
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "nodes/db/service/db_node.hpp"
#include "storage/testing/fault_env.hpp"

int main(int argc, char** argv) {
  using starbus::storage::testing::Call;
  using namespace std::chrono_literals;
  static starbus::storage::testing::FaultEnv disk;        // lives as long as the thread below
  const char* const orders = std::getenv("DISK_ORDERS");  // NOLINT: one thread
  std::thread([file = std::string(orders == nullptr ? "" : orders)] {
    for (std::string known;; std::this_thread::sleep_for(10ms)) {
      std::string order;
      std::ifstream(file) >> order;
      if (order == known) continue;
      known = order;
      if (order == "fail") disk.fail(Call::sync, 1, EIO);
      disk.set_sync_delay(order == "slow" ? 2s : 0s);
    }
  }).detach();
  namespace nodes = starbus::nodes;
  return nodes::run_node({.role = "db", .program = "starbus-db"},
                         std::make_unique<nodes::db::DbNode>(&disk), argc, argv);
}
