// Calls and messages that leave; what waits, and until when.
#include "entity/rpc/endpoint.hpp"

namespace starbus::entity::rpc {

void Endpoint::call_by_bus(const Address& to, const CallOptions& options, CallState& state) {
  bus::CallOptions how;
  how.deadline = options.deadline;
  how.lane = options.lane;
  how.trace = options.trace;
  how.hash_key = options.hash_key;
  state.hold();
  const std::shared_ptr<CallState> held(&state, [](CallState* call) { call->drop(); });
  bus_.call(std::string(to.text()), ByteView(scratch_), how,
            [held](const bus::Result<Bytes>& answer) {
              answer ? held->take_bytes(*answer) : held->fail(from_bus(answer.error()));
            });
}

namespace {

Result<> result_of_bus(const bus::Result<>& result) {
  if (result) return {};
  return from_bus(result.error());
}

bus::SendOptions how_of(const SendOptions& options) {
  bus::SendOptions how;
  how.lane = options.lane;
  how.ttl = options.ttl;
  how.trace = options.trace;
  how.hash_key = options.hash_key;
  how.from = options.from;
  return how;
}

}  // namespace

Result<> Endpoint::send_by_bus(const Address& to, const SendOptions& options) {
  const ByteView body(scratch_);
  const bus::SendOptions how = how_of(options);
  return result_of_bus(to.name() != nullptr ? bus_.send(*to.name(), body, how)
                                            : bus_.send(to.text(), body, how));
}

Result<> Endpoint::multicast_by_bus(std::span<const std::string> to, const SendOptions& options) {
  return result_of_bus(bus_.multicast(to, ByteView(scratch_), how_of(options)));
}

Result<> Endpoint::announce_by_bus(std::string_view group, const SendOptions& options) {
  return result_of_bus(bus_.announce(group, ByteView(scratch_), how_of(options)));
}

// --- what waits ----------------------------------------------------------------------------------

void Endpoint::call_began(CallState& state) {
  state.after_ = first_call_;
  if (first_call_ != nullptr) first_call_->before_ = &state;
  first_call_ = &state;
  ++calls_;
}

void Endpoint::call_ended(CallState& state) {
  --calls_;
  if (state.armed_) deadlines_.erase(*state.armed_);
  state.armed_.reset();
}

void Endpoint::call_gone(CallState& state) {
  if (state.after_ != nullptr) state.after_->before_ = state.before_;
  (state.before_ != nullptr ? state.before_->after_ : first_call_) = state.after_;
}

Deadlines::iterator Endpoint::arm(CallState& state, std::chrono::milliseconds deadline) {
  const auto at = deadlines_.emplace(std::chrono::steady_clock::now() + deadline, &state);
  if (at == deadlines_.begin()) arm_timer();
  return at;
}

void Endpoint::arm_timer() {
  if (deadlines_.empty()) return;
  deadline_timer_.expires_at(deadlines_.begin()->first);
  deadline_timer_.async_wait([self = self_](const boost::system::error_code& error) {
    if (!error && *self != nullptr) (*self)->expire_calls();
  });
}

void Endpoint::expire_calls() {
  const auto now = std::chrono::steady_clock::now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    deadlines_.begin()->second->fail(Errc::deadline);
  }
  arm_timer();
}

bool Endpoint::may_run(const HostBase& host) const {
  return running_ < kMaxRunning && host.rpc_coroutines() < kMaxRunningPerHost;
}

void Endpoint::running_began(Running& running) {
  running.endpoint_after_ = first_running_;
  if (first_running_ != nullptr) first_running_->endpoint_before_ = &running;
  first_running_ = &running;
  ++running_;
}

void Endpoint::running_ended(Running& running) {
  if (running.endpoint_after_ != nullptr) {
    running.endpoint_after_->endpoint_before_ = running.endpoint_before_;
  }
  (running.endpoint_before_ != nullptr ? running.endpoint_before_->endpoint_after_
                                       : first_running_) = running.endpoint_after_;
  --running_;
}

}  // namespace starbus::entity::rpc
