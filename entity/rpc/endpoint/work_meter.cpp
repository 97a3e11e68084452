#include "entity/rpc/endpoint/work_meter.hpp"

#include <utility>

#include "base/unit_guard.hpp"

namespace starbus::entity::rpc {

WorkMeter::~WorkMeter() {
  for (WorkFrame* frame = innermost_; frame != nullptr; frame = frame->outer_) {
    frame->meter_ = nullptr;
  }
}

WorkTicks& WorkMeter::began(const ClassInfo& info, const MethodInfo* method) {
  if (method != nullptr) return methods_[method->index];
  SpawnedLoad& load = spawned_[&info];
  ++load.coroutines;
  return load;
}

Error WorkMeter::threw(const MethodInfo& method, const std::exception_ptr& thrown) {
  ++of(method).threw;
  Error error(Errc::failed, what_of(thrown));
  UnitGuard::report(UnitKind::method, method.full_name(), error.detail);
  return error;
}

Error WorkMeter::threw(const ClassInfo& info, const std::exception_ptr& thrown) {
  ++spawned_[&info].threw;
  Error error(Errc::failed, what_of(thrown));
  UnitGuard::report(UnitKind::coroutine, CurrentWork::coroutine(info).name(), error.detail);
  return error;
}

WorkFrame::WorkFrame(WorkMeter& meter, CurrentWork work, WorkTicks& charged, SlotRef slot)
    : meter_(&meter),
      outer_(std::exchange(meter.innermost_, this)),
      shown_before_(meter.shown_.load(std::memory_order_relaxed)),
      charged_(&charged),
      slot_(slot),
      time_(meter.measuring_) {
  meter.shown_.store(work, std::memory_order_release);
}

WorkFrame::Ended WorkFrame::end(std::uint64_t at) {
  WorkMeter* const meter = std::exchange(meter_, nullptr);
  if (meter == nullptr) return {};
  meter->innermost_ = outer_;
  meter->shown_.store(shown_before_, std::memory_order_release);
  if (charged_ == nullptr || time_.begun() == 0) return {};
  const std::uint64_t now = at != 0 ? at : ticks();
  const std::uint64_t passed = time_.charge(now);
  charged_->add(passed);
  meter->measured_ += passed;
  meter->bindings_.charge(slot_, passed);
  return {passed, now};
}

}  // namespace starbus::entity::rpc
