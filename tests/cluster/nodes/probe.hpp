/// What the tests of nodes run as processes of their own: a node that offers a service, and does
/// what its configuration says.
///
///   offer = "service/db"        # nothing, unless it is there
///   before_ready = "50ms"       # how long its step takes
///   busy = "90ms"               # of each 100 ms
///   drain = "50ms"              # of its last step; "never"
///   drain_blocks = true         # that step sleeps in the loop, for ever
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "nodes/runtime/node.hpp"

namespace starbus::cluster_test {

namespace rpc = entity::rpc;

class Probe final : public nodes::App, public rpc::Callable<Probe> {
 public:
  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(nodes::Node& node) override;
  std::string status() const override { return "probes"; }

  std::string where(rpc::Caller& from);
  /// Sleeps in the loop.
  void block(rpc::Caller& from, int ms);
  /// How many closures this process' other thread has posted and the loop has run.
  int posted(rpc::Caller& from);
  static constexpr auto kRpc =
      rpc::methods("probe", rpc::method<&Probe::where>("where"),
                   rpc::method<&Probe::block>("block"), rpc::method<&Probe::posted>("posted"));

 private:
  void wait(std::chrono::milliseconds time, nodes::Done done);

  nodes::Node* node_ = nullptr;
  std::string offer_;
  std::chrono::milliseconds before_ready_{};
  std::chrono::milliseconds busy_{};
  std::chrono::milliseconds drain_{};
  bool drain_never_ = false;
  bool drain_blocks_ = false;
  int posted_ = 0;
  entity::TimerOwner timers_;
};

}  // namespace starbus::cluster_test
