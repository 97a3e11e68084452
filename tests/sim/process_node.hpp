/// A simulated process: the shell that the client library is, around a real ProcessCore, with an
/// Application on top. Each start is a new life with a new pid and a higher incarnation. One
/// thread.
#pragma once

#include <memory>

#include "tests/sim/application.hpp"
#include "tests/sim/host_node.hpp"

namespace starbus::sim {

class ProcessNode final : public Node {
 public:
  /// `entity`: the name that this process always owns; `process_name`: that of its own channel.
  ProcessNode(World& world, HostNode& host, std::string node, NameIndex entity,
              NameIndex process_name);

  HostNode& host() { return host_; }
  const std::string& node() const { return node_; }
  std::int64_t pid() const { return pid_; }
  NameIndex entity() const { return entity_; }
  NameIndex process_name() const { return process_name_; }
  bool listens() const override { return false; }

  // While it is up:
  bus::ProcessCore& core() { return *core_; }
  const bus::ProcessCore& core() const { return *core_; }
  Application& application() { return *application_; }
  const Application& application() const { return *application_; }
  bool owns(const bus::ChannelId& channel) const { return core_->owner().active(channel); }

  void pump();
  /// At the end of the present turn, as the client library does.
  void pump_soon();
  void on_first_welcome();
  void bind_later(NameIndex name);

  /// Called when a new life has begun.
  std::function<void()> when_started;

  void on_bundle(LinkId id, ByteView bundle) override;
  void on_ended(LinkId id) override;

 private:
  void on_start() override;
  void on_crash() override;
  void on_tick() override;
  Time tick_period() const override { return bus::from_ms(25); }
  void link_up(LinkId id);
  void link_down(const bus::Error& reason);

  HostNode& host_;
  std::string node_;
  NameIndex entity_;
  NameIndex process_name_;
  std::uint64_t starts_ = 0;
  std::int64_t pid_ = 0;
  std::unique_ptr<Application> application_;
  std::unique_ptr<bus::ProcessCore> core_;
  LinkId link_ = 0;
  bool pump_posted_ = false;
  Dial dial_;
};

}  // namespace starbus::sim
