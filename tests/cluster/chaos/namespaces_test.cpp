// Every host in a network of its own: cables to busroot that are unplugged for seconds, and slow
// ones. Unlike a relay, the kernel tells nobody: bytes wait in TCP and come late.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>

#include "tests/cluster/chaos/chaos_run.hpp"
#include "tests/cluster/chaos/network_space.hpp"
#include "tests/cluster/chaos/verdict.hpp"
#include "tests/places.hpp"
#include "tests/sim/random.hpp"

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

class ChaosNamespaces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto refused = enter_private_network(); !refused.empty()) GTEST_SKIP() << refused;
    std::string pattern = (std::filesystem::temp_directory_path() / "starbus-net-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    options_.cluster.root_address = "0.0.0.0";
    options_.cluster.root_port = free_port();
    options_.cluster.curve = true;        // what leaves a host must be encrypted
    options_.cluster.wait_ready = false;  // their admin servers are out of reach
    try {
      for (std::uint32_t host = 0; host < kHosts; ++host) {
        spaces_.push_back(std::make_unique<NetworkSpace>(static_cast<int>(host) + 1, folder_));
        const std::string name = Board::host_name(host);
        options_.cluster.launchers[name] = spaces_.back()->launcher();
        options_.cluster.detours[name] =
            spaces_.back()->address_here() + ":" + std::to_string(options_.cluster.root_port);
      }
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
    netem_ = spaces_[0]->can_delay();
    if (!netem_) std::cout << "this kernel has no netem: cables are cut and not slow\n";
  }
  void TearDown() override {
    spaces_.clear();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path folder_;
  ChaosOptions options_;
  std::vector<std::unique_ptr<NetworkSpace>> spaces_;
  bool netem_ = false;
};

TEST_F(ChaosNamespaces, CutAndSlowCablesLoseNothing) {
  const std::uint64_t seed = chaos_seed();
  SCOPED_TRACE("STARBUS_SEED=" + std::to_string(seed));
  sim::Random random(seed);
  options_.span = long_runs() ? 120s : 8s;
  options_.messages = long_runs() ? 3'000'000 : 60'000;
  ChaosRun run(options_);
  run.start();
  for (std::chrono::milliseconds at = 500ms; at < options_.span - 500ms;
       at += std::chrono::milliseconds(random.between(100, 800))) {
    run.sleep_until(at);
    NetworkSpace& space = *spaces_[random.below(kHosts)];
    const auto what = random.below(netem_ ? 3 : 2);
    if (what == 0) space.cut();
    if (what == 1) space.join();
    if (what == 2) space.delay(std::chrono::milliseconds(random.below(150)));
  }
  for (const auto& space : spaces_) {
    space->join();
    if (netem_) space->delay(0ms);
  }
  EXPECT_TRUE(run.settle(30s));
  const Verdict verdict = judge(run.board());
  std::cout << verdict.to_string() << std::endl;
  EXPECT_TRUE(verdict.sound()) << verdict.to_string();
  EXPECT_EQ(verdict.handled, verdict.sent);
  EXPECT_TRUE(verdict.failures.empty()) << verdict.to_string();
}

}  // namespace
}  // namespace starbus::cluster_test
