#include "entity/rpc/call_state.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace starbus::entity::rpc {
namespace {

/// Wakes the waiter of a call; or, if the loop ends before that, lets go of it.
class Wake {
 public:
  explicit Wake(CallState& state) : state_(&state) {}
  Wake(Wake&& other) noexcept = default;
  Wake& operator=(Wake&&) = delete;
  ~Wake() {
    if (state_ != nullptr) state_->abandon();
  }
  void operator()() {
    const boost::intrusive_ptr<CallState> state = std::move(state_);
    state->wake();
  }

 private:
  boost::intrusive_ptr<CallState> state_;
};

}  // namespace

CallState::CallState(PendingCalls& calls, const MethodInfo& method, CallableBase* owner,
                     std::chrono::milliseconds deadline)
    : calls_(&calls), method_(method), loop_(calls.loop()), owner_(owner), deadline_(deadline) {
  calls.began(*this);
  if (owner_ == nullptr) return;
  auto& ties = owner_->ties();
  owner_after_ = ties.calls;
  if (owner_after_ != nullptr) owner_after_->owner_before_ = this;
  ties.calls = this;
}

CallState::~CallState() {
  (void)end();
  if (calls_ != nullptr) calls_->gone(*this);
}

bool CallState::end() {
  if (ended_) return false;
  ended_ = true;
  unlink_from_owner();
  if (calls_ != nullptr) calls_->ended(*this);
  return true;
}

void CallState::endpoint_ended() {
  const boost::intrusive_ptr<CallState> self(this);
  fail_later(Errc::closed);
  calls_->gone(*this);
  calls_ = nullptr;
}

void CallState::unlink_from_owner() {
  if (owner_ == nullptr) return;
  if (owner_after_ != nullptr) owner_after_->owner_before_ = owner_before_;
  (owner_before_ != nullptr ? owner_before_->owner_after_ : owner_->ties_->calls) = owner_after_;
  std::exchange(owner_, nullptr)->rpc_root().rpc_ended();
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
  const boost::intrusive_ptr<CallState> self(this);
  fail_later(Error(Errc::canceled, "the object that called has ended"));
  if (drops_with_owner_ && waiter_ != nullptr && !waiter_->measures_itself) abandon();
}

/// A callback's time is not the callee's, though it may run within the callee's frame. It may end
/// this call, and, as the answer of another process, the endpoint.
std::uint64_t CallState::wake() {
  Waiter* const waiter = std::exchange(waiter_, nullptr);
  if (waiter == nullptr) return 0;
  if (calls_ == nullptr || waiter->measures_itself) return waiter->wake();
  WorkMeter& meter = calls_->meter();
  WorkFrame frame(meter, CurrentWork::answer(method_), meter.of(method_).answers);
  waiter->wake();
  return frame.end().at;
}

void CallState::wake_later() {
  boost::asio::post(loop_, Wake(*this));
}

void CallState::abandon() {
  if (Waiter* waiter = std::exchange(waiter_, nullptr)) waiter->abandon();
}

void CallState::arm_deadline() {
  if (!ended_ && !armed_) armed_ = calls_->arm(*this, deadline_);
}

std::string CallState::no_answer_text() const {
  return method_.full_name() +
         ": what answered is no RPC object, or one of another build; look what is bound to this "
         "name";
}

}  // namespace starbus::entity::rpc
