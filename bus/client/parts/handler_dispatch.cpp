#include "bus/client/parts/handler_dispatch.hpp"

#include <utility>

#include "base/unit_guard.hpp"
#include "bus/client/bus_core.hpp"

namespace starbus::bus {

void HandlerDispatch::deliver(const OwnedName& owned, const Delivery& delivery) {
  const auto envelope = decode_envelope(delivery.body);
  if (!envelope) return;
  if (envelope->kind == EnvelopeKind::request) return deliver_call(owned, delivery, *envelope);
  if (envelope->kind != EnvelopeKind::message || !owned.handlers.on_message) return;
  Message message;
  message.channel_ = owned.name;
  message.body_ = envelope->body;
  message.origin_ = delivery.origin;
  message.lane_ = delivery.lane;
  message.trace_ = envelope->trace;
  const auto shown = context_.showing("message ", *owned.name);
  const auto place = [&] { return "message " + *owned.name; };
  guarded(UnitKind::message, place, [&] { owned.handlers.on_message(message); });
}

void HandlerDispatch::deliver_call(const OwnedName& owned, const Delivery& delivery,
                                   const Envelope& envelope) {
  Call call;
  call.channel_ = owned.name;
  call.body_ = envelope.body;
  call.origin_ = delivery.origin;
  call.lane_ = delivery.lane;
  call.trace_ = envelope.trace;
  call.responder_.core_ = context_.self;
  call.responder_.caller_ = delivery.origin;
  call.responder_.lane_ = delivery.lane;
  call.responder_.lineage_ = envelope.reply_lineage;
  call.responder_.call_ = envelope.call;
  call.responder_.trace_ = envelope.trace;
  if (owned.handlers.on_call) {
    const auto shown = context_.showing("call ", *owned.name);
    const auto place = [&] { return "call " + *owned.name; };
    if (guarded(UnitKind::message, place, [&] { owned.handlers.on_call(call); })) return;
    if (call.responder_.pending()) {
      (void)call.responder_.refuse({Errc::handler_failed, "its handler threw"});
    }
  } else {
    (void)call.responder_.refuse({Errc::no_handler, *owned.name + " takes no calls"});
  }
}

// --- message.hpp ---------------------------------------------------------------------------------

void Message::own_body() {
  channel_ = std::make_shared<const std::string>(*channel_);
  auto copy = std::make_shared<const Bytes>(body_.begin(), body_.end());
  body_ = *copy;
  owned_ = std::move(copy);
}

Responder& Responder::operator=(Responder&& other) noexcept {
  if (this == &other) return *this;
  if (pending()) (void)refuse({Errc::handler_failed, "dropped without an answer"});
  core_ = std::move(other.core_);
  caller_ = other.caller_;
  lane_ = other.lane_;
  lineage_ = other.lineage_;
  call_ = std::exchange(other.call_, 0);
  trace_ = other.trace_;
  return *this;
}

Responder::~Responder() {
  if (pending()) (void)refuse({Errc::handler_failed, "dropped without an answer"});
}

Result<> Responder::reply(ByteView body) {
  Envelope envelope;
  envelope.kind = EnvelopeKind::reply;
  return answer(envelope, body);
}

Result<> Responder::fail(const Error& reason) {
  Envelope envelope;
  envelope.kind = EnvelopeKind::failure;
  envelope.failure = reason;
  envelope.reported = reason.code.is_ok() ? Code(Errc::handler_failed) : reason.code;
  return answer(envelope, {});
}

Result<> Responder::refuse(const Error& reason) {
  Envelope envelope;
  envelope.kind = EnvelopeKind::failure;
  envelope.failure = reason;
  return answer(envelope, {});
}

Result<> Responder::answer(const Envelope& outline, ByteView body) {
  const auto core = core_.lock();
  if (!core || call_ == 0) return Error{Errc::closed};
  Envelope envelope = outline;
  envelope.call = call_;
  envelope.trace = trace_;
  auto sent = core->reply({caller_.channel(), lineage_, {}}, lane_, envelope, body);
  if (sent) call_ = 0;
  return sent;
}

}  // namespace starbus::bus
