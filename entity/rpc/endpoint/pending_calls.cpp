#include "entity/rpc/endpoint/pending_calls.hpp"

#include <cassert>

#include "entity/rpc/call_state.hpp"
#include "entity/rpc/endpoint/loop_clock.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

PendingCalls::PendingCalls(boost::asio::io_context& loop, WorkMeter& meter)
    : loop_(loop), meter_(meter), timer_(loop, [this] { expire(); }) {}

bool PendingCalls::may_begin() const {
  return open_ < kMaxCalls;
}

void PendingCalls::began(CallState& state) {
  thread_.check();
  state.after_ = first_;
  if (first_ != nullptr) first_->before_ = &state;
  first_ = &state;
  ++open_;
}

void PendingCalls::ended(CallState& state) {
  thread_.check();
  assert(open_ > 0);
  --open_;
  if (state.armed_) deadlines_.erase(*state.armed_);
  state.armed_.reset();
}

void PendingCalls::gone(CallState& state) {
  if (state.after_ != nullptr) state.after_->before_ = state.before_;
  (state.before_ != nullptr ? state.before_->after_ : first_) = state.after_;
}

Deadlines::iterator PendingCalls::arm(CallState& state, std::chrono::milliseconds deadline) {
  const auto at = deadlines_.emplace(loop_now() + deadline, &state);
  if (at == deadlines_.begin()) arm_timer();
  return at;
}

void PendingCalls::arm_timer() {
  if (!deadlines_.empty()) timer_.set(deadlines_.begin()->first);
}

void PendingCalls::expire() {
  const auto now = loop_now();
  for (std::size_t ended = 0; ended < kExpiredPass; ++ended) {
    if (deadlines_.empty() || deadlines_.begin()->first > now) break;
    const std::weak_ptr<bool> alive = alive_;
    deadlines_.begin()->second->fail(Errc::deadline);
    if (alive.expired()) return;  // the caller's callback has ended the endpoint
  }
  arm_timer();
}

void PendingCalls::close() {
  while (first_ != nullptr) first_->endpoint_ended();
}

}  // namespace starbus::entity::rpc
