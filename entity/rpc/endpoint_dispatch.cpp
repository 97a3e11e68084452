// What the bus brings: bytes that are calls, and answers that go back.
#include <boost/asio/post.hpp>
#include <cstdio>

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
    const bool answer =
        !message.body().empty() && message.body()[0] == static_cast<std::byte>(kAnswerForm);
    error =
        answer ? take_answer(*slot, in, message) : dispatch_call(*slot, in, message, call, detail);
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
  if (method == nullptr) {  // another build's, whose name is not known here
    char number[32];
    const int size = std::snprintf(number, sizeof number, "no method %08x here", header.method);
    detail.assign(number, static_cast<std::size_t>(size));
    return Errc::rpc_not_found;
  }
  HostBase* object = nullptr;
  Caller caller;
  Errc error = admit(slot, *method, message.origin(), header.behalf, object, caller.from);
  // Whoever may not call a method does not learn what it looks like.
  if (error == Errc::ok && header.signature != method->signature) {
    error = Errc::signature_mismatch;
    detail = method->full_name().append(" is ").append(method->text).append(" here");
  }
  const bool client = caller.from == From::own_client || caller.from == From::any_client;
  const Budget budget = client ? kClientBudget : Budget{};
  if (error == Errc::ok && in.left() > budget.bytes) error = Errc::bad_arguments;
  const bool question = !header.answer_to.empty();
  // Only a server may name a channel that this process is to send to; and a question is a call.
  if (error == Errc::ok && question && (caller.from != From::server || call == nullptr)) {
    error = Errc::not_permitted;
  }
  if (error == Errc::ok) {
    caller.endpoint = this;
    caller.client = header.client;
    caller.process = message.origin();
    caller.channel = message.channel();
    caller.trace = message.trace();
    Decoder arguments(in.rest(), budget);
    Invocation invocation{*this, *object, *method, caller, header, arguments, call, detail};
    if (method->coroutine) {  // it measures its turns itself
      error = method->invoke(invocation);
    } else {
      Turn turn(*this, ShownWork::method(*method), methods_[method->index], slot.ref);
      error = method->invoke(invocation);
      if (error != Errc::ok) turn.cancel();
    }
    if (error == Errc::ok && question) {  // it is taken: what waits at its sender need not
      Encoder out(scratch());
      put_reply_head(out, ReplyKind::value);
      answer(call->responder());
    }
  }
  if (error == Errc::ok) return error;
  ++methods_[method->index].refused;
  if (detail.empty()) detail = method->full_name();
  return error;
}

// --- questions and their answers -----------------------------------------------------------------

/// Servers alone answer: they may call everything here anyway.
Errc Endpoint::take_answer(const Slot& slot, Decoder& in, const bus::Message& message) {
  AnswerId question;
  if (!get_answer_head(in, question)) return Errc::bad_bytes;
  if (gates_.is_gate(message.origin()) || !gates_.known()) return Errc::not_permitted;
  AnswerSink* const sink = slot.host->ties_ ? slot.host->ties_->answers : nullptr;
  const bool waited = sink != nullptr && sink->take_answer(question, in.rest());
  ++(waited ? counters_.answers : counters_.late_answers);
  return Errc::ok;
}

std::string_view Endpoint::channel_of(const HostBase& host) const {
  if (!host.ties_) return {};
  for (const HostBase::Binding& binding : host.ties_->bindings) {
    if (binding.endpoint == this && slots_[binding.slot].name) return *slots_[binding.slot].name;
  }
  return {};
}

/// What the bus brings back is that it was taken; or why it was not, in the words of the callee, of
/// the bus, or of an older release, to which a question is no call. Whoever asked may have moved.
void Endpoint::ask(const Address& to, const AskOptions& options, std::string_view channel,
                   const AnswerId& question) {
  bus::CallOptions how;
  how.deadline = options.deadline;
  how.lane = options.lane;
  how.trace = options.trace;
  how.hash_key = options.hash_key;
  bus_.call(
      std::string(to.text()), ByteView(scratch_), how,
      [self = self_, channel = std::string(channel), question](const bus::Result<Bytes>& taken) {
        if (*self == nullptr) return;
        // The question has a deadline of its own, which travels.
        if (!taken && taken.error() == bus::Errc::deadline) return;
        Error error;
        ReplyKind kind = ReplyKind::error;
        if (!taken) {
          error = from_bus(taken.error());
        } else if (Decoder in(*taken); !get_reply_head(in, kind, error)) {
          kind = ReplyKind::error;
          error = Errc::bad_bytes;
        }
        if (kind != ReplyKind::error) return;
        (*self)->answer(AnswerRoute(channel, question), error);
      });
}

// --- answers -------------------------------------------------------------------------------------

void Endpoint::answer(AnswerRoute route) {
  const auto sent = send_answer(route, scratch_);
  if (sent) return;
  if (sent.error() == bus::Errc::too_large) return answer(std::move(route), Errc::too_large);
  if (sent.error() != bus::Errc::would_block) {
    if (!route.channel.empty()) ++counters_.dropped_replies;
    return;
  }
  if (unsent_.size() >= kMaxUnsentReplies || unsent_bytes_ + scratch_.size() > kUnsentReplyBytes) {
    ++counters_.dropped_replies;
    return;
  }
  unsent_bytes_ += scratch_.size();
  unsent_.push_back({std::move(route), scratch_});
  retry_answers();
}

void Endpoint::answer(AnswerRoute route, const Error& error) {
  Encoder out(scratch());
  put_error(out, error);
  answer(std::move(route));
}

bus::Result<> Endpoint::send_answer(AnswerRoute& route, ByteView answer) {
  if (route.channel.empty()) return route.responder.reply(answer);
  Bytes message;
  Encoder out(message);
  put_answer_head(out, route.question);
  message.insert(message.end(), answer.begin(), answer.end());
  return bus_.send(route.channel, ByteView(message));
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
      const auto sent = endpoint.send_answer(unsent.route, unsent.body);
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
