/// A simulated process of a game that runs the client library itself: a Bus over the simulator's
/// time and network, with a ClientUser on top. Each start is a new life with a new pid and a higher
/// incarnation. One thread.
#pragma once

#include <memory>

#include "bus/client/bus_core.hpp"
#include "tests/sim/clients/client_link.hpp"
#include "tests/sim/clients/client_user.hpp"
#include "tests/sim/clients/machine.hpp"
#include "tests/sim/nodes/host_node.hpp"
#include "tests/sim/random.hpp"

namespace starbus::sim {

class ClientNode final : public Node, public Machine {
 public:
  ClientNode(World& world, HostNode& host, std::string node);
  ~ClientNode() override;

  HostNode& host() { return host_; }
  const std::string& node() const { return node_; }
  std::int64_t pid() const { return pid_; }
  bool listens() const override { return false; }

  // While it is up:
  bus::BusCore& bus() { return *bus_; }
  bus::BusParts& parts() { return bus_->parts(); }
  ClientUser& user() { return *user_; }
  /// Its loop has not run for longer than it should: it was stopped.
  bool stands_still() const;
  /// Runs an action in the loop of the program, and then all that the loop has to do.
  void run(const std::function<void()>& action);

  // Node
  void on_bundle(LinkId id, ByteView bundle) override;
  void on_ended(LinkId id) override;

  // Machine
  Time machine_time() const override;
  std::uint64_t draw() override { return random_.next(); }
  std::uint64_t incarnation() const override { return starts_ * 1'000'000; }
  void later(Time delay, std::function<void()> action) override;
  void dial(OnLink on_link) override;
  void dial_again() override { dial_.again(); }
  void stop_dialling() override { dial_.stop(); }

 private:
  static constexpr Time kTick = bus::from_ms(25);
  void on_start() override;
  void on_crash() override;
  void on_tick() override;
  Time tick_period() const override { return kTick; }
  void link_up(LinkId id);

  HostNode& host_;
  const std::string node_;
  Random random_;
  std::uint64_t starts_ = 0;
  std::int64_t pid_ = 0;
  Time ticked_{};
  OnLink on_link_;
  Dial dial_;
  std::shared_ptr<ClientLink> link_;
  std::unique_ptr<ClientUser> user_;
  std::unique_ptr<boost::asio::io_context> loop_;
  std::shared_ptr<bus::BusCore> bus_;
};

}  // namespace starbus::sim
