#include "entity/machines/machine_group.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::entity {

MachineBase::MachineBase(MachineGroup* group) : group_(group) {
  if (group_ != nullptr) group_->machines_.push_back(this);
}

bool MachineBase::group_paused() const {
  return group_ != nullptr && group_->paused_;
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
  return start_each(true);
}

MachineResult<> MachineGroup::start_new() {
  return start_each(false);
}

MachineResult<> MachineGroup::start_each(bool placed) {
  thread_.check();
  // A machine may make others, or end others, when it starts or stops.
  const std::vector<MachineBase*> machines = machines_;
  std::vector<MachineBase*> started;
  const auto here = [this](const MachineBase* machine) {
    return std::ranges::find(machines_, machine) != machines_.end();
  };
  for (MachineBase* const machine : machines) {
    if (!here(machine) || machine->running() || (machine->placed_ && !placed)) continue;
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

// --- moving --------------------------------------------------------------------------------------

void MachineGroup::pause() {
  thread_.check();
  paused_ = true;
  for (MachineBase* const machine : machines_) machine->pause();
}

void MachineGroup::resume() {
  thread_.check();
  paused_ = false;
  const std::vector<MachineBase*> machines = machines_;
  for (MachineBase* const machine : machines) {
    if (std::ranges::find(machines_, machine) != machines_.end()) machine->resume();
  }
}

void MachineGroup::collect_timers(std::vector<TimerOwner*>& all) const {
  for (MachineBase* const machine : machines_) all.push_back(&machine->timers());
}

MachineResult<> MachineGroup::pack(Encoder& out) const {
  out.varint(machines_.size());
  for (const MachineBase* const machine : machines_) {
    if (machine->busy()) return Error(MachineErrc::busy, std::string(machine->name()));
    out.text(machine->name());
    if (const auto packed = machine->pack(out); !packed) return packed;
  }
  return {};
}

MachineResult<> MachineGroup::unpack(Decoder& in) {
  thread_.check();
  const std::size_t count = in.count();
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::string_view name = in.text();
    const auto found = std::ranges::find(machines_, name, &MachineBase::name);
    if (!in.ok()) break;
    if (found == machines_.end()) return Error(MachineErrc::unknown_state, std::string(name));
    if (const auto taken = (*found)->unpack(in); !taken) return taken;
    (*found)->placed_ = true;
  }
  if (in.finish() != DataErrc::ok) return MachineErrc::bad_state;
  return {};
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
