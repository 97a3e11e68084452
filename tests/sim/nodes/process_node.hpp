/// A simulated process of a game: a CoreNode with an Application on top. One thread.
#pragma once

#include <memory>

#include "tests/sim/nodes/core_node.hpp"
#include "tests/sim/users/application.hpp"

namespace starbus::sim {

class ProcessNode final : public CoreNode {
 public:
  /// `entity`: the name that this process always owns; `process_name`: that of its own channel.
  ProcessNode(World& world, HostNode& host, std::string node, NameIndex entity,
              NameIndex process_name);

  NameIndex entity() const { return entity_; }
  NameIndex process_name() const { return process_name_; }

  // While it is up:
  Application& application() { return *application_; }
  const Application& application() const { return *application_; }
  bool owns(const bus::ChannelId& channel) const { return core().owner().active(channel); }

  void on_first_welcome();
  void bind_later(NameIndex name);

  /// Called when a new life has begun.
  std::function<void()> when_started;

 private:
  void on_start() override;
  void on_crash() override;
  void tick_program() override { application_->tick(); }
  void before_pump() override;
  void refused_for_good(const bus::Error& reason) override;

  NameIndex entity_;
  NameIndex process_name_;
  std::unique_ptr<Application> application_;
};

}  // namespace starbus::sim
