/// The simulated busd: the shell around a real HostRouter, with its term, incarnation and journal
/// of processes on disk, and the operating system's word on which processes live. One thread.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "bus/core/routers/host_router.hpp"
#include "tests/sim/nodes/disk.hpp"
#include "tests/sim/nodes/node.hpp"

namespace starbus::sim {

class HostNode final : public Node, private bus::HostShell {
 public:
  HostNode(World& world, std::string name);

  /// Null while it is down.
  bus::HostRouter* router() { return router_.get(); }
  void on_accepted(LinkId id, Node& peer) override;
  void on_bundle(LinkId id, ByteView bundle) override;
  void on_ended(LinkId id) override;

  /// Where it runs, if another host node carries the same name.
  void set_machine(std::string machine) { machine_ = std::move(machine); }
  const std::string& machine() const { return machine_; }

  /// What else is a part of this program: it lives and dies with it.
  std::function<void()> when_started, when_crashed;

  // --- the operating system of this host ---
  void process_started(std::int64_t pid) { living_.insert(pid); }
  /// Whoever watches the pid is told, soon.
  void process_ended(std::int64_t pid);

 private:
  void on_start() override;
  void on_crash() override;
  void on_tick() override;
  Time tick_period() const override { return bus::from_ms(50); }
  void report(std::int64_t pid);
  void go_on();

  // HostShell
  bus::Bytes take_buffer(LinkId) override { return {}; }
  bool enough(LinkId) override { return ++questions_ % 3 == 0; }
  void send(LinkId link, bus::Bytes bundle) override;
  void close(LinkId link) override;
  void log(Level level, const std::string& text) override;
  void watch_pid(std::int64_t pid) override;
  void unwatch_pid(std::int64_t pid) override { watched_.erase(pid); }
  void journal(const bus::JournaledProcess& process, bool lives) override;
  void remember_term(bus::Epoch term) override;
  void answer_query(const bus::Query&) override {}
  void uplink_ended(const bus::Error& reason) override;

  std::string machine_;
  Disk disk_;
  std::set<std::int64_t> living_;   // pids of this host, as the kernel knows them
  std::set<std::int64_t> watched_;  // by busd, with pidfd
  /// What busd wrote to its journal; it outlives busd.
  std::map<std::pair<std::string, std::uint64_t>, bus::JournaledProcess> journal_;
  std::unique_ptr<bus::HostRouter> router_;
  unsigned questions_ = 0;  // whether a bundle goes on: every third time it does not
  Dial uplink_;
};

}  // namespace starbus::sim
