#include "tests/cluster/nodes/probe.hpp"

#include <thread>

namespace starbus::cluster_test {

using namespace std::chrono_literals;

void Probe::configure(daemon::ConfigReader& reader) {
  offer_ = reader.string("offer", "");
  before_ready_ = reader.duration("before_ready", 0ms);
  busy_ = reader.duration("busy", 0ms, 0ms, 100ms);
  drain_ = reader.duration("drain", 0ms);
  drain_never_ = reader.boolean("drain_never", false);
  drain_blocks_ = reader.boolean("drain_blocks", false);
}

void Probe::wait(std::chrono::milliseconds time, nodes::Done done) {
  const auto set = node_->timers().after(timers_, time, [done] { done({}); });
  if (!set) done(bus::Errc::would_block);
}

bus::Result<> Probe::start(nodes::Node& node) {
  node_ = &node;
  if (!offer_.empty()) node.offer(offer_, *this);
  if (busy_ > 0ms && !node.timers().every(timers_, 100ms, 100ms, entity::CatchUp::once,
                                          [this] { std::this_thread::sleep_for(busy_); })) {
    return bus::Errc::would_block;
  }
  node.before_ready("warm up", [this](nodes::Done done) { wait(before_ready_, std::move(done)); });
  node.on_drain("last words", [this](nodes::Done done) {
    if (drain_blocks_) {
      for (;;) std::this_thread::sleep_for(1s);
    }
    if (!drain_never_) wait(drain_, std::move(done));
  });
  node.on_drain("save", [this](const nodes::Done& done) {
    const auto saved = node_->tasks().submit(
        "disk", [] { std::this_thread::sleep_for(10ms); },
        [done](const bus::Result<>& result) { done(result); });
    if (!saved) done(saved);
  });
  std::thread([&node, this] {
    for (int i = 0; i < 100; ++i) (void)node.post("count", [this] { ++posted_; });
  }).join();
  return {};
}

std::string Probe::where(rpc::Caller&) {
  return node_->process();
}

void Probe::block(rpc::Caller&, int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

int Probe::posted(rpc::Caller&) {
  return posted_;
}

}  // namespace starbus::cluster_test
