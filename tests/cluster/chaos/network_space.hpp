/// A network of its own for each host, joined to the one of the test's process by a cable that can
/// be cut and made slow. Held by a process that sleeps: with it the network goes.
///
/// Needs iproute2 and util-linux, and the right to make network namespaces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/cluster/cluster_harness.hpp"

namespace starbus::cluster_test {

class NetworkSpace {
 public:
  /// `number` 1..250 makes the addresses: 10.77.NUMBER.1 here, .2 there. Throws
  /// std::runtime_error with what the system refused.
  NetworkSpace(int number, const std::filesystem::path& folder);
  ~NetworkSpace();

  std::string address_here() const { return "10.77." + std::to_string(number_) + ".1"; }
  /// The command that runs a program there.
  std::vector<std::string> launcher() const;

  void cut() const;
  void join() const;
  /// Whether the kernel has netem.
  bool can_delay() const;
  /// For both directions.
  void delay(std::chrono::milliseconds time) const;

 private:
  void run(const std::string& command) const;
  std::string there(const std::string& command) const;

  const int number_;
  const std::filesystem::path log_;
  const std::string cable_;
  std::unique_ptr<Child> holder_;
};

/// Gives this process a network of its own, in which it is the router. Empty, or why not.
std::string enter_private_network();

}  // namespace starbus::cluster_test
