/// The simulated busroot: the shell around a real RootRouter, with its two files on disk. One
/// thread.
#pragma once

#include <memory>

#include "bus/core/routers/root_router.hpp"
#include "tests/sim/nodes/disk.hpp"
#include "tests/sim/nodes/node.hpp"

namespace starbus::sim {

class RootNode final : public Node, private bus::RootShell {
 public:
  explicit RootNode(World& world) : Node(world, "busroot") {}

  /// Null while it is down.
  bus::RootRouter* router() { return router_.get(); }
  void on_accepted(LinkId id, Node& peer) override;
  void on_bundle(LinkId id, ByteView bundle) override;
  void on_ended(LinkId id) override;

 private:
  void on_start() override;
  void on_crash() override;
  void on_tick() override;
  Time tick_period() const override { return bus::from_ms(50); }
  void go_on();

  // RootShell
  bus::Bytes take_buffer(LinkId) override { return {}; }
  bool enough(LinkId) override { return ++questions_ % 3 == 0; }
  void send(LinkId link, bus::Bytes bundle) override;
  void close(LinkId link) override;
  void log(Level level, const std::string& text) override;
  bus::Result<> allow_host(const std::string&, const std::string&) override { return {}; }
  bus::Result<> remember_bounds(const std::vector<bus::GrantBound>& bounds) override;
  bus::Result<> remember_hosts(const std::vector<std::string>& hosts) override;
  void answer_query(const bus::Query&) override {}
  void on_answer(const bus::Answer&) override {}

  Disk disk_;
  std::unique_ptr<bus::RootRouter> router_;
  unsigned questions_ = 0;  // whether a bundle goes on: every third time it does not
};

}  // namespace starbus::sim
