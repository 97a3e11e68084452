#include "tests/cluster/chaos/network_space.hpp"

#include <sched.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

std::string name_of_network(pid_t pid) {
  std::error_code error;
  const auto link =
      std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/ns/net", error);
  return link.string();
}

}  // namespace

NetworkSpace::NetworkSpace(int number, const std::filesystem::path& folder)
    : number_(number),
      log_(folder / ("network-" + std::to_string(number) + ".txt")),
      cable_("cable" + std::to_string(number)),
      holder_(std::make_unique<Child>(
          std::vector<std::string>{"/usr/bin/unshare", "--net", "/usr/bin/sleep", "600"}, log_)) {
  const std::string ours = name_of_network(::getpid());
  const bool apart = wait_for(5s, [&] {
    const std::string theirs = name_of_network(holder_->pid());
    return holder_->ended() || (!theirs.empty() && theirs != ours);
  });
  if (!apart || holder_->ended()) throw std::runtime_error("unshare --net is not permitted");
  run("ip link add " + cable_ + " type veth peer name uplink netns " +
      std::to_string(holder_->pid()));
  run("ip address add " + address_here() + "/24 dev " + cable_);
  run("ip link set " + cable_ + " up");
  run(there("ip address add 10.77." + std::to_string(number_) + ".2/24 dev uplink"));
  run(there("ip link set uplink up"));
  run(there("ip link set lo up"));
}

NetworkSpace::~NetworkSpace() {
  // The cable outlives its far end for a moment; the next test may want the name.
  (void)std::system(("ip link delete " + cable_ + " 2>/dev/null").c_str());
}

std::vector<std::string> NetworkSpace::launcher() const {
  return {"/usr/bin/nsenter", "--net", "--target", std::to_string(holder_->pid())};
}

void NetworkSpace::cut() const {
  run("ip link set " + cable_ + " down");
}

void NetworkSpace::join() const {
  run("ip link set " + cable_ + " up");
}

bool NetworkSpace::can_delay() const {
  try {
    delay(0ms);
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

void NetworkSpace::delay(std::chrono::milliseconds time) const {
  const std::string way = std::to_string(time.count()) + "ms";
  run("tc qdisc replace dev " + cable_ + " root netem limit 100000 delay " + way);
  run(there("tc qdisc replace dev uplink root netem limit 100000 delay " + way));
}

std::string NetworkSpace::there(const std::string& command) const {
  return "nsenter --net --target " + std::to_string(holder_->pid()) + " " + command;
}

void NetworkSpace::run(const std::string& command) const {
  if (std::system((command + " >>" + log_.string() + " 2>&1").c_str()) == 0) return;
  throw std::runtime_error(command + " is refused, see " + log_.string());
}

std::string enter_private_network() {
  if (::unshare(CLONE_NEWNET) != 0) {
    return std::string("no network of its own: ") + std::strerror(errno);
  }
  if (std::system("ip link set lo up 2>/dev/null") != 0) return "no ip (package iproute2)";
  return {};
}

}  // namespace starbus::cluster_test
