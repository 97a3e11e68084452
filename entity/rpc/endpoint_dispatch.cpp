// What the bus brings: bytes that are calls, and answers that go back.
#include <boost/asio/post.hpp>

#include "entity/rpc/endpoint.hpp"
#include "entity/rpc/invoke.hpp"

namespace starbus::entity::rpc {
namespace {

constexpr Budget kClientBudget{kClientBytes, kClientElements, kClientMemory, kClientDepth};

}  // namespace

void Endpoint::dispatch(SlotRef to, const bus::Message& message, bus::Call* call) {
  if (message.body().size() == 1 && message.body()[0] == static_cast<std::byte>(kFenceForm)) return;
  Errc error = Errc::no_such_entity;
  std::string detail;
  if (const Slot* slot = find(to); slot != nullptr && slot->name) {
    Decoder in(message.body());
    ++counters_.remote;
    error = dispatch_call(*slot, in, message, call, detail);
  }
  if (error == Errc::ok) return;
  count_error(error);
  if (call != nullptr) answer(call->responder(), Error(error, std::move(detail)));
}

Errc Endpoint::dispatch_call(const Slot& slot, Decoder& in, const bus::Message& message,
                             bus::Call* call, std::string& detail) {
  CallHeader header;
  if (const Errc bad = get_header(in, header); bad != Errc::ok) return bad;
  const MethodInfo* method = dictionary_->find(header.method);
  if (method == nullptr) return Errc::rpc_not_found;
  HostBase* object = nullptr;
  Caller caller;
  Errc error = admit(slot, *method, message.origin(), header.behalf, object, caller.from);
  // Whoever may not call a method does not learn what it looks like.
  if (error == Errc::ok && header.signature != method->signature) error = Errc::signature_mismatch;
  const bool client = caller.from == From::own_client || caller.from == From::any_client;
  const Budget budget = client ? kClientBudget : Budget{};
  if (error == Errc::ok && in.left() > budget.bytes) error = Errc::bad_arguments;
  if (error == Errc::ok) {
    caller.endpoint = this;
    caller.client = header.client;
    caller.process = message.origin();
    caller.channel = message.channel();
    caller.trace = message.trace();
    Decoder arguments(in.rest(), budget);
    Invocation invocation{*this, *object, *method, caller, arguments, call, detail};
    if (method->coroutine) {  // it measures its turns itself
      error = method->invoke(invocation);
    } else {
      const Turn turn(*this, method, slot.ref);
      error = method->invoke(invocation);
      if (error == Errc::ok) turn.charge();
    }
  }
  if (error == Errc::ok) return error;
  ++methods_[method->index].refused;
  if (detail.empty()) detail = method->full_name();
  return error;
}

// --- answers -------------------------------------------------------------------------------------

void Endpoint::answer(bus::Responder responder) {
  const auto sent = responder.reply(ByteView(scratch_));
  if (sent || sent.error() != bus::Errc::would_block) {
    if (sent || sent.error() != bus::Errc::too_large) return;
    return answer(std::move(responder), Errc::too_large);
  }
  if (unsent_.size() >= kMaxUnsentReplies || unsent_bytes_ + scratch_.size() > kUnsentReplyBytes) {
    ++counters_.dropped_replies;
    return;
  }
  unsent_bytes_ += scratch_.size();
  unsent_.push_back({std::move(responder), scratch_});
  retry_answers();
}

void Endpoint::answer(bus::Responder responder, const Error& error) {
  Encoder out(scratch());
  put_error(out, error);
  answer(std::move(responder));
}

/// Each keeps its place: the answers to one caller leave in the order in which they were given.
void Endpoint::retry_answers() {
  if (retrying_ || unsent_.empty()) return;
  retrying_ = true;
  retry_timer_.expires_after(std::chrono::milliseconds(kReplyRetry));
  retry_timer_.async_wait([self = self_](const boost::system::error_code& error) {
    if (error || *self == nullptr) return;
    Endpoint& endpoint = **self;
    endpoint.retrying_ = false;
    std::erase_if(endpoint.unsent_, [&endpoint](Unsent& unsent) {
      const auto sent = unsent.responder.reply(ByteView(unsent.body));
      const bool wait = !sent && sent.error() == bus::Errc::would_block;
      if (wait && ++unsent.tries < kReplyTries) return false;
      if (wait) ++endpoint.counters_.dropped_replies;
      endpoint.unsent_bytes_ -= unsent.body.size();
      return true;
    });
    endpoint.retry_answers();
  });
}

}  // namespace starbus::entity::rpc
