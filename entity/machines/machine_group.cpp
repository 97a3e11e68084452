#include "entity/machines/machine_group.hpp"

#include <algorithm>
#include <cassert>

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

MachineGroup::~MachineGroup() {
  assert(machines_.empty());
}

MachineResult<> MachineGroup::start() {
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
    if (here(machine)) machine->stop();
    for (auto at = started.rbegin(); at != started.rend(); ++at) {
      if (here(*at)) (*at)->stop();
    }
    return result;
  }
  return {};
}

void MachineGroup::stop() {
  const std::vector<MachineBase*> machines = machines_;
  for (auto at = machines.rbegin(); at != machines.rend(); ++at) {
    if (std::ranges::find(machines_, *at) != machines_.end()) (*at)->stop();
  }
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
