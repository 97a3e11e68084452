/// A simulated process that runs the client library itself, over the simulator's time and network,
/// on a loop of its own. Each start is a new life with a new pid and a higher incarnation. The
/// library and what stands on it are those of the class that derives from this. One thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>

#include "tests/sim/clients/client_link.hpp"
#include "tests/sim/clients/machine.hpp"
#include "tests/sim/nodes/host_node.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

class ProgramNode : public Node, public Machine {
 public:
  ProgramNode(World& world, HostNode& host, std::string node)
      : Node(world, host.name() + "." + node),
        host_(host),
        node_(std::move(node)),
        random_(world.random.next()),
        dial_(world, *this, host, [this](LinkId id) { link_up(id); }) {}

  HostNode& host() { return host_; }
  const std::string& node() const { return node_; }
  std::int64_t pid() const { return pid_; }
  bool listens() const override { return false; }
  /// Its loop has not run for longer than it should: it was stopped.
  bool stands_still() const { return world_.now() - ticked_ > 2 * kTick; }
  /// Runs an action in the loop of the program, and then all that the loop has to do.
  void run(const std::function<void()>& action) {
    const Scope scope(*this);
    action();
    turn();
  }

  // Node
  void on_bundle(LinkId id, ByteView bundle) override {
    if (!link_ || link_->id() != id) return;
    run([&, link = link_] { link->deliver(bundle); });
  }
  void on_ended(LinkId id) override {
    if (!link_ || link_->id() != id) return;
    run([link = std::exchange(link_, nullptr)] { link->ended(); });
  }

  // Machine
  Time machine_time() const override { return world_.now(); }
  std::uint64_t draw() override { return random_.next(); }
  std::uint64_t incarnation() const override { return starts_ * 1'000'000; }
  void later(Time delay, std::function<void()> action) override {
    after(delay, [this, action = std::move(action)] { run(action); });
  }
  void dial(OnLink on_link) override {
    on_link_ = std::move(on_link);
    dial_.start();
  }
  void dial_again() override { dial_.again(); }
  void stop_dialling() override { dial_.stop(); }

 protected:
  /// The program begins: within its loop.
  virtual void begin(boost::asio::io_context& loop) = 0;
  /// It was killed: the library ends first, then the loop, whose work keeps parts of it.
  virtual void end(std::unique_ptr<boost::asio::io_context> loop) = 0;
  /// All that the loop has to do.
  virtual void turn() {
    loop_->restart();
    loop_->poll();
  }
  void on_crash() final {
    const Scope scope(*this);
    dial_.stop();
    if (link_) link_->forget();
    link_.reset();
    end(std::move(loop_));
    host_.process_ended(pid_);
  }

 private:
  static constexpr Time kTick = bus::from_ms(25);
  void on_start() final {
    pid_ = world_.new_pid();
    host_.process_started(pid_);
    ++starts_;
    loop_ = std::make_unique<boost::asio::io_context>(1);
    run([this] { begin(*loop_); });
  }
  void on_tick() final { ticked_ = world_.now(); }
  Time tick_period() const final { return kTick; }
  void link_up(LinkId id) {
    link_ = std::make_shared<ClientLink>(world_.network, *this, id);
    run([this] { on_link_(link_); });
  }

  HostNode& host_;
  const std::string node_;
  Random random_;
  std::uint64_t starts_ = 0;
  std::int64_t pid_ = 0;
  Time ticked_{};
  OnLink on_link_;
  Dial dial_;
  std::shared_ptr<ClientLink> link_;
  std::unique_ptr<boost::asio::io_context> loop_;
};

}  // namespace starbus::sim
