/// A node of crowds, as a program: spaces of other processes have their crowds here, under a shared
/// name that their types give as `service`. Read docs/guide/crowds.md.
///
/// Its keys are of [crowds]: name ("service/crowds"), maps (folder). Belongs to the loop's thread.
#pragma once

#include <optional>
#include <string>

#include "nodes/nav/crowd_calls.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::crowds {

class CrowdsApp final : public App {
 public:
  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(Node& node) override;
  std::string status() const override;

 private:
  std::string name_;
  std::string maps_;
  std::optional<CrowdPool> pool_;
  std::optional<CrowdCalls> calls_;  // ends first
  entity::TimerOwner timer_;
};

}  // namespace starbus::nodes::crowds
