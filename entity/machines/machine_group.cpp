#include "entity/machines/machine_group.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::entity {

MachineBase::MachineBase(MachineGroup* group) : group_(group) {
  if (group_ != nullptr) group_->machines_.push_back(this);
}

MachineBase::~MachineBase() {
  if (group_ != nullptr) std::erase(group_->machines_, this);
}

void MachineBase::stopped() {
  if (group_ == nullptr || group_->running() > 0 || !group_->all_stopped_) return;
  const auto callback = group_->all_stopped_;  // it may set another
  callback();
}

/// Stops machines of a group one by one. When the last has stopped the group may end, and what is
/// left to do with it.
class MachineGroup::Stopping {
 public:
  explicit Stopping(MachineGroup& group)
      : group_(&group), outer_(std::exchange(group.stopping_, this)) {}
  ~Stopping() {
    if (group_ != nullptr) group_->stopping_ = outer_;
  }
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;

  void stop(MachineBase* machine) {
    if (group_ == nullptr) return;
    const auto& there = group_->machines_;
    if (std::ranges::find(there, machine) != there.end()) machine->stop();
  }
  void group_ended() {
    group_ = nullptr;
    if (outer_ != nullptr) outer_->group_ended();
  }

 private:
  MachineGroup* group_;  // null: it has ended
  Stopping* outer_;
};

MachineGroup::~MachineGroup() {
  assert(machines_.empty());
  if (stopping_ != nullptr) stopping_->group_ended();
}

MachineResult<> MachineGroup::start() {
  thread_.check();
  // A machine may make others, or end others, when it starts or stops.
  const std::vector<MachineBase*> machines = machines_;
  std::vector<MachineBase*> started;
  const auto here = [this](const MachineBase* machine) {
    return std::ranges::find(machines_, machine) != machines_.end();
  };
  for (MachineBase* const machine : machines) {
    if (!here(machine) || machine->running()) continue;
    const MachineResult<> result = machine->start();
    if (result) {
      started.push_back(machine);
      continue;
    }
    Stopping stopping(*this);
    stopping.stop(machine);
    for (auto at = started.rbegin(); at != started.rend(); ++at) stopping.stop(*at);
    return result;
  }
  return {};
}

void MachineGroup::stop() {
  thread_.check();
  const std::vector<MachineBase*> machines = machines_;
  Stopping stopping(*this);
  for (auto at = machines.rbegin(); at != machines.rend(); ++at) stopping.stop(*at);
}

std::size_t MachineGroup::running() const {
  return static_cast<std::size_t>(std::ranges::count_if(machines_, &MachineBase::running));
}

std::vector<MachineReport> MachineGroup::report() const {
  std::vector<MachineReport> reports;
  reports.reserve(machines_.size());
  for (const MachineBase* const machine : machines_) reports.push_back(machine->report());
  return reports;
}

}  // namespace starbus::entity
