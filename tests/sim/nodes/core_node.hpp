/// A simulated program around a real ProcessCore: its link with busd, dialled again and again, and
/// its time, as the client library does it. Each start is a new life with a new pid and a higher
/// incarnation. One thread.
#pragma once

#include <memory>

#include "bus/core/ends/process_core.hpp"
#include "tests/sim/nodes/host_node.hpp"

namespace starbus::sim {

class CoreNode : public Node {
 public:
  CoreNode(World& world, HostNode& host, std::string node);

  HostNode& host() { return host_; }
  const std::string& node() const { return node_; }
  std::int64_t pid() const { return pid_; }
  bool listens() const override { return false; }

  // While it is up:
  bus::ProcessCore& core() { return *core_; }
  const bus::ProcessCore& core() const { return *core_; }

  void pump();
  /// At the end of the present turn, as the client library does.
  void pump_soon();

  void on_bundle(LinkId id, ByteView bundle) override;
  void on_ended(LinkId id) override;

 protected:
  /// At the start of a life: opens the link.
  void begin(bus::ProcessEvents& events, std::uint8_t minor);
  /// At its end. The events may go after it.
  void end();
  Time tick_period() const override { return bus::from_ms(25); }
  void on_tick() override;

  /// What lives on top: at each tick, and before anything leaves.
  virtual void tick_program() {}
  virtual void before_pump() {}
  virtual void refused_for_good(const bus::Error& reason) = 0;

 private:
  void link_up(LinkId id);
  void link_down(const bus::Error& reason);

  HostNode& host_;
  std::string node_;
  std::uint64_t starts_ = 0;
  std::int64_t pid_ = 0;
  std::unique_ptr<bus::ProcessCore> core_;
  LinkId link_ = 0;
  bool pump_posted_ = false;
  Dial dial_;
};

}  // namespace starbus::sim
