#include "entity/rpc/call_state.hpp"

#include <boost/asio/post.hpp>

#include "entity/rpc/endpoint.hpp"

namespace starbus::entity::rpc {
namespace {

/// Wakes whoever waits for a call; or, if the loop ends before it comes to that, lets go.
class Wake {
 public:
  explicit Wake(CallState& state) : state_(&state) { state.hold(); }
  Wake(Wake&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Wake& operator=(Wake&&) = delete;
  ~Wake() {
    if (state_ == nullptr) return;
    state_->abandon();
    state_->drop();
  }
  void operator()() {
    CallState* state = std::exchange(state_, nullptr);
    state->wake();
    state->drop();
  }

 private:
  CallState* state_;
};

}  // namespace

CallState::CallState(Endpoint& endpoint, const MethodInfo& method, HostBase* owner,
                     std::chrono::milliseconds deadline)
    : endpoint_(&endpoint),
      method_(method),
      loop_(endpoint.loop()),
      owner_(owner),
      deadline_(deadline) {
  endpoint.call_began(*this);
  if (owner_ == nullptr) return;
  auto& ties = owner_->ties();
  owner_after_ = ties.calls;
  if (owner_after_ != nullptr) owner_after_->owner_before_ = this;
  ties.calls = this;
}

CallState::~CallState() {
  (void)end();
  if (endpoint_ != nullptr) endpoint_->call_gone(*this);
}

bool CallState::end() {
  if (ended_) return false;
  ended_ = true;
  unlink_from_owner();
  if (endpoint_ != nullptr) endpoint_->call_ended(*this);
  return true;
}

void CallState::endpoint_ended() {
  hold();
  fail_later(Errc::closed);
  endpoint_->call_gone(*this);
  endpoint_ = nullptr;
  drop();
}

void CallState::unlink_from_owner() {
  if (owner_ == nullptr) return;
  if (owner_after_ != nullptr) owner_after_->owner_before_ = owner_before_;
  (owner_before_ != nullptr ? owner_before_->owner_after_ : owner_->ties_->calls) = owner_after_;
  owner_ = nullptr;
}

void CallState::fail(const Error& error) {
  if (!end()) return;
  set_error(error);
  wake();
}

void CallState::fail_later(const Error& error) {
  if (!end()) return;
  set_error(error);
  wake_later();
}

void CallState::owner_ended() {
  fail_later(Error(Errc::canceled, "the object that called has ended"));
}

/// What a callback does is not the callee's work, though it may run within its turn. It may end
/// this call, and, as the answer of another process, the endpoint.
void CallState::wake() {
  Waiter* const waiter = std::exchange(waiter_, nullptr);
  if (waiter == nullptr) return;
  if (endpoint_ == nullptr || waiter->has_turns) return waiter->wake();
  const Turn turn = endpoint_->answer_turn(method_);
  waiter->wake();
}

void CallState::wake_later() {
  boost::asio::post(loop_, Wake(*this));
}

void CallState::abandon() {
  if (Waiter* waiter = std::exchange(waiter_, nullptr)) waiter->abandon();
}

void CallState::arm_deadline() {
  if (!ended_ && !armed_) armed_ = endpoint_->arm(*this, deadline_);
}

}  // namespace starbus::entity::rpc
