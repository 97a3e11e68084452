#include "entity/rpc/turn.hpp"

#include <utility>

#include "entity/rpc/endpoint.hpp"

namespace starbus::entity::rpc {

Turn::Turn(Endpoint& endpoint, ShownWork work, WorkTicks& charged, SlotRef slot)
    : endpoint_(&endpoint),
      outer_(std::exchange(endpoint.innermost_, this)),
      shown_before_(endpoint.shown_.load(std::memory_order_relaxed)),
      charged_(&charged),
      slot_(slot),
      time_(endpoint.measuring_) {
  endpoint.shown_.store(work, std::memory_order_release);
}

Turn::Turn(Endpoint& endpoint, ShownWork work, WorkTicks& charged)
    : Turn(endpoint, work, charged, kNowhere) {}

std::uint64_t Turn::end(std::uint64_t at) {
  Endpoint* const of = std::exchange(endpoint_, nullptr);
  if (of == nullptr) return 0;
  of->innermost_ = outer_;
  of->shown_.store(shown_before_, std::memory_order_release);
  if (charged_ == nullptr || time_.begun() == 0) return 0;
  const std::uint64_t passed = time_.charge(at != 0 ? at : ticks());
  charged_->add(passed);
  of->measured_ += passed;
  of->charge(slot_, passed);
  return passed;
}

}  // namespace starbus::entity::rpc
