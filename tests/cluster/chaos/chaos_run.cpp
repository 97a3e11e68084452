#include "tests/cluster/chaos/chaos_run.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <thread>

#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

constexpr auto kStart = 20s;

std::uint32_t milliseconds(std::chrono::milliseconds time) {
  return static_cast<std::uint32_t>(time.count());
}

}  // namespace

ChaosRun::ChaosRun(ChaosOptions options)
    : options_(std::move(options)),
      cluster_(options_.cluster),
      board_(Board::create(cluster_.folder() / "board", (options_.messages - 1) / kStreams + 1,
                           milliseconds(options_.span))) {}

void ChaosRun::start() {
  for (std::uint32_t node = 0; node < kNodes; ++node) launch(node);
  if (!wait_for(kStart, [&] { return all_nodes(NodeState::ready); })) {
    ADD_FAILURE() << "not all nodes own their channels";  // so that the logs are shown
    throw std::runtime_error("the run cannot begin");
  }
  board_.plan().begin = now_ns();
  board_.plan().phase = Phase::go;
}

void ChaosRun::launch(std::uint32_t node) {
  NodeAccount& account = board_.node(node);
  if (++account.life >= kMaxLives) throw std::runtime_error("a node has only so many lives");
  account.state = NodeState::starting;
  const std::string host = Board::host_name(Board::host_of(node));
  nodes_[node] =
      cluster_.run({program("starbus-chaos-node"), "load", (cluster_.folder() / "board").string(),
                    std::to_string(node), cluster_.endpoint(host)},
                   "n" + std::to_string(node));
}

void ChaosRun::sleep_until(std::chrono::milliseconds since_start) const {
  const auto at = std::chrono::nanoseconds(board_.plan().begin.load()) + since_start;
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(at)));
}

void ChaosRun::kill_daemon(const std::string& name) {
  blows_.push_back({name, now_ns()});
  cluster_.daemon(name).kill();
  std::this_thread::sleep_for(restart_delay());
  cluster_.daemon(name).start();
}

void ChaosRun::pause_daemon(const std::string& name, std::chrono::milliseconds time) {
  blows_.push_back({name, now_ns()});
  cluster_.daemon(name).stop();
  std::this_thread::sleep_for(time);
  cluster_.daemon(name).cont();
}

void ChaosRun::kill_node(std::uint32_t node, std::chrono::milliseconds dead) {
  nodes_[node]->kill();
  std::this_thread::sleep_for(dead);
  launch(node);
}

void ChaosRun::pause_node(std::uint32_t node, std::chrono::milliseconds time) {
  nodes_[node]->signal(SIGSTOP);
  std::this_thread::sleep_for(time);
  nodes_[node]->signal(SIGCONT);
}

bool ChaosRun::settle(std::chrono::milliseconds limit) {
  sleep_until(options_.span);
  const bool settled = wait_for(limit, [&] { return all_nodes(NodeState::done); });
  if (!settled) report_unsettled();
  board_.plan().phase = Phase::leave;
  for (const auto& node : nodes_) {
    const auto status = node->wait(5s);
    EXPECT_EQ(status.value_or(-1), 0) << "a node does not end as it should";
  }
  return settled;
}

bool ChaosRun::all_nodes(NodeState state) const {
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    if (board_.node(node).state != state) return false;
  }
  return true;
}

void ChaosRun::report_unsettled() const {
  for (std::uint32_t id = 0; id < kStreams; ++id) {
    const StreamAccount& stream = board_.stream(id);
    std::size_t pending = 0;
    for (const std::uint8_t end : board_.outcomes(id)) pending += end == outcome::kCustody ? 1 : 0;
    if (stream.sent == board_.plan().messages && pending == 0) continue;
    ADD_FAILURE() << "n" << Board::sender_of(id) << " to " << Board::receiver_of(id) << " in lane "
                  << name_of(Board::lane_of(id)) << ": " << stream.sent << " sent, " << pending
                  << " without an end, " << stream.handled << " handled";
  }
}

std::chrono::milliseconds restart_delay() {
  std::uint32_t longest = 0;
  for (const std::string daemon : {"busd", "busroot"}) {
    std::ifstream unit(source_file("deploy/systemd/starbus-" + daemon + ".service"));
    std::uint32_t delay = 0;
    for (std::string line; std::getline(unit, line);) {
      (void)std::sscanf(line.c_str(), "RestartSec=%ums", &delay);
    }
    if (delay == 0) throw std::runtime_error("no RestartSec in milliseconds for " + daemon);
    longest = std::max(longest, delay);
  }
  return std::chrono::milliseconds(longest);
}

std::uint64_t chaos_seed() {
  const char* const given = std::getenv("STARBUS_SEED");  // NOLINT: one thread
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "STARBUS_SEED=" << seed << std::endl;
  return seed;
}

}  // namespace starbus::cluster_test
