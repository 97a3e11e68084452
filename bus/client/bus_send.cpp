// Messages, calls and replies.
#include <cassert>

#include "bus/client/bus_core.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kNamesKept = 131'072;  // texts whose hash, and ids whose text, is remembered
constexpr Token kCallToken = Token{1} << 63;

}  // namespace

Result<Name> BusCore::name_of_text(std::string_view text) {
  if (const auto found = names_.find(text); found != names_.end()) return found->second;
  auto name = Name::of(text);
  if (!name) return name.error();
  if (names_.size() >= kNamesKept) names_.clear();
  names_.emplace(std::string(text), *name);
  return *name;
}

/// The same, where the text is at hand.
Result<ChannelId> BusCore::id_of_text(std::string_view text) {
  if (const auto found = names_.find(text); found != names_.end()) return found->second.id();
  const auto name = name_of_text(text);
  if (!name) return name.error();
  return name->id();
}

/// So that a failure, which knows only the id, can name its channel.
void BusCore::remember_name(const Name& name) {
  if (names_by_id_.size() >= kNamesKept) names_by_id_.clear();
  names_by_id_.try_emplace(name.id(), name.text());
}

std::string BusCore::name_of_channel(const ChannelId& channel) {
  const auto found = names_by_id_.find(channel);
  return found == names_by_id_.end() ? std::string() : found->second;
}

Destination BusCore::destination(const Name& to, Lineage hint) const {
  const bool open = process_.restricted() && to.id().high != kProcessTag;
  return {to.id(), hint, open ? std::string_view(to.text()) : std::string_view()};
}

Result<std::uint64_t> BusCore::send_enveloped(const Name& to, Lineage hint, Lane lane,
                                              const Envelope& envelope, ByteView body, Token token,
                                              std::chrono::milliseconds ttl) {
  if (auto allowed = process_.may_send(to.text()); !allowed) return allowed.error();
  if (lane == Lane::control) return Error{Errc::denied, "the control lane is the bus' own"};
  encode_envelope(envelope, envelope_);
  const Time expires = expiry_of(ttl);
  auto seq = process_.origin().send(destination(to, hint), lane, envelope_, body, token, expires);
  if (!seq) return seq;
  remember_name(to);
  link_.want_pump(envelope_.size() + body.size());
  return seq;
}

Result<> BusCore::send(std::string_view to, ByteView body, const SendOptions& options,
                       Done<> done) {
  const auto name = name_of_text(to);
  if (!name) return name.error();
  return send(*name, body, options, std::move(done));
}

Result<> BusCore::send(const Name& to, ByteView body, const SendOptions& options, Done<> done) {
  if (closed_ || closing_) return Error{Errc::closed};
  if (options.from != ChannelId{}) {
    if (done)
      return Error{Errc::denied, "an acknowledgement could not follow a channel that moves"};
    return send_from(to, body, options);
  }
  if (is_shared_name(to.text())) return send_shared(to, body, options, std::move(done));
  Envelope envelope;
  envelope.trace = options.trace;
  const Token token = done ? next_token_ : 0;
  const auto seq = send_enveloped(to, {}, options.lane, envelope, body, token, options.ttl);
  if (!seq) return seq.error();
  if (token != 0) acknowledgements_.emplace(next_token_++, std::move(done));
  return {};
}

Result<> BusCore::send_from(const Name& to, ByteView body, const SendOptions& options) {
  if (is_shared_name(to.text())) {
    return Error{Errc::denied, "a channel sends to owned channels; choose an instance"};
  }
  if (auto allowed = process_.may_send(to.text()); !allowed) return allowed.error();
  if (options.lane == Lane::control) return Error{Errc::denied, "the control lane is the bus' own"};
  Envelope envelope;
  envelope.trace = options.trace;
  encode_envelope(envelope, envelope_);
  const Time expires = expiry_of(options.ttl);
  auto sent =
      process_.send_from(options.from, destination(to, {}), options.lane, envelope_, body, expires);
  if (!sent) return sent;
  remember_name(to);
  link_.want_pump(envelope_.size() + body.size());
  return {};
}

Result<> BusCore::multicast(std::span<const std::string> to, ByteView body,
                            const SendOptions& options) {
  if (closed_ || closing_) return Error{Errc::closed};
  std::vector<Name> names;
  names.reserve(to.size());
  for (const std::string& text : to) {
    const auto name = name_of_text(text);
    if (!name) return name.error();
    if (is_shared_name(text) || is_group_name(text)) {
      return Error{Errc::bad_name, text + " is a set; multicast goes to owned channels"};
    }
    if (auto allowed = process_.may_send(text); !allowed) return allowed;
    names.push_back(*name);
  }
  std::vector<Origin::Recipient> recipients;
  recipients.reserve(names.size());
  for (const Name& name : names) {
    remember_name(name);
    recipients.push_back({destination(name, {})});
  }
  auto sent = multicast_now(recipients, options, body);
  if (sent) link_.want_pump(body.size());
  return sent;
}

/// The body in its envelope, from the process or from one of its channels.
Result<> BusCore::multicast_now(std::span<const Origin::Recipient> recipients,
                                const SendOptions& options, ByteView body) {
  Envelope envelope;
  envelope.trace = options.trace;
  encode_envelope(envelope, envelope_);
  const Time expires = expiry_of(options.ttl);
  if (options.from == ChannelId{}) {
    return process_.origin().multicast(recipients, options.lane, envelope_, body, expires);
  }
  return process_.multicast_from(options.from, recipients, options.lane, envelope_, body, expires);
}

void BusCore::on_acknowledged(Token token) {
  if (token & kCallToken) return;  // a call ends with its reply
  const auto found = acknowledgements_.find(token);
  if (found == acknowledgements_.end()) return;
  complete<void>(std::move(found->second), {});
  acknowledgements_.erase(found);
}

void BusCore::on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t,
                        Errc reason, bool sent) {
  const std::string name = name_of_channel(channel);
  Error error{reason, name};
  if (reason == Errc::expired && !sent) error.detail += " (it never left)";
  if (token & kCallToken) return end_call(token & ~kCallToken, error);
  if (end_post(token, error)) return;
  const auto found = acknowledgements_.find(token);
  if (found != acknowledgements_.end()) {
    complete<void>(std::move(found->second), std::move(error));
    acknowledgements_.erase(found);
  } else if (on_undelivered) {
    on_undelivered({channel, name, lane, std::move(error)});
  }
}

// --- calls ---------------------------------------------------------------------------------------

void BusCore::call(const std::string& to, const Bytes& body, const CallOptions& options,
                   Done<Bytes> done) {
  if (closed_ || closing_) return complete<Bytes>(std::move(done), Error{Errc::closed});
  const auto name = name_of_text(to);
  if (!name) return complete<Bytes>(std::move(done), name.error());
  if (calls_.size() >= kMaxPendingCalls) {
    return complete<Bytes>(std::move(done), Error{Errc::would_block, "too many pending calls"});
  }
  const std::uint64_t id = next_call_++;
  ++calls_started_;
  PendingCall pending;
  pending.done = std::move(done);
  pending.lane = options.lane;
  pending.deadline = call_deadlines_.emplace(io::boot_now() + options.deadline, id);
  const bool earliest = pending.deadline == call_deadlines_.begin();
  calls_.emplace(id, std::move(pending));
  if (earliest) arm_call_timer();
  if (is_shared_name(to)) {
    call_shared(*name, body, options.hash_key, id, options.trace);
  } else {
    start_call(*name, {}, id, options.trace, body);
  }
}

void BusCore::start_call(const Name& to, Lineage hint, std::uint64_t id, const Trace& trace,
                         ByteView body) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;  // its deadline passed while it waited for a snapshot
  PendingCall& pending = found->second;
  Envelope envelope;
  envelope.kind = EnvelopeKind::request;
  envelope.call = id;
  envelope.reply_lineage = process_.reply_lineage();
  envelope.trace = trace;
  const auto seq = send_enveloped(to, hint, pending.lane, envelope, body, id | kCallToken, {});
  if (!seq) return end_call(id, seq.error());
  pending.channel = to.id();
  pending.seq = *seq;
}

void BusCore::end_call(std::uint64_t id, Result<Bytes> result) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;  // ended before, by its deadline
  PendingCall pending = std::move(found->second);
  call_deadlines_.erase(pending.deadline);
  calls_.erase(found);
  auto showing_it = [shown = shown_, of = name_of_channel(pending.channel),
                     done = std::move(pending.done)](Result<Bytes> answer) {
    const ShownName::Scope scope(shown, "answer of ", of);
    done(std::move(answer));
  };
  complete<Bytes>(std::move(showing_it), std::move(result));
}

void BusCore::arm_call_timer() {
  if (call_deadlines_.empty() || closed_) return;
  const Time left = call_deadlines_.begin()->first - io::boot_now();
  call_timer_.expires_after(std::max(left, Time{}));
  call_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self || error) return;
    self->expire_calls();
    self->arm_call_timer();
  });
}

void BusCore::expire_calls() {
  const Time now = io::boot_now();
  while (!call_deadlines_.empty() && call_deadlines_.begin()->first <= now) {
    const std::uint64_t id = call_deadlines_.begin()->second;
    const PendingCall& pending = calls_.at(id);
    // A request that nobody waits for any more should not run late.
    if (pending.seq != 0) process_.origin().withdraw(pending.channel, pending.lane, pending.seq);
    ++calls_timed_out_;
    end_call(id, Error{Errc::deadline, "no reply in time"});
  }
}

Result<> BusCore::reply(const Destination& to, Lane lane, const Envelope& envelope, ByteView body) {
  if (closed_) return Error{Errc::closed};
  encode_envelope(envelope, envelope_);
  const auto seq = process_.origin().send(to, lane, envelope_, body, 0, {});
  if (!seq) return seq.error();
  link_.want_pump(envelope_.size() + body.size());
  return {};
}

void BusCore::on_reply(const Delivery& delivery) {
  const auto envelope = decode_envelope(delivery.body);
  if (!envelope) return;
  if (envelope->kind == EnvelopeKind::reply) {
    end_call(envelope->call, Bytes(envelope->body.begin(), envelope->body.end()));
  } else if (envelope->kind == EnvelopeKind::failure) {
    end_call(envelope->call, envelope->failure);
  }
}

// --- deliveries ----------------------------------------------------------------------------------

void BusCore::on_delivery(BindingId binding, const Delivery& delivery) {
  if (closed_) return;
  if (binding == process_.process_binding()) return on_reply(delivery);
  const auto found = bonds_.find(binding);
  if (found == bonds_.end()) return;
  const auto bond = found->second;  // its handler may unbind it
  deliver(*bond, delivery);
}

void BusCore::deliver(const Bond& bond, const Delivery& delivery) {
  const auto envelope = decode_envelope(delivery.body);
  if (!envelope) return;  // not written by this library: nothing to hand over
  if (envelope->kind == EnvelopeKind::request) return deliver_call(bond, delivery, *envelope);
  if (envelope->kind != EnvelopeKind::message || !bond.handlers.on_message) return;
  Message message;
  message.channel_ = bond.name;
  message.body_ = envelope->body;
  message.origin_ = delivery.origin;
  message.lane_ = delivery.lane;
  message.trace_ = envelope->trace;
  const auto shown = showing("message ", *bond.name);
  bond.handlers.on_message(message);
}

void BusCore::deliver_call(const Bond& bond, const Delivery& delivery, const Envelope& envelope) {
  Call call;
  call.channel_ = bond.name;
  call.body_ = envelope.body;
  call.origin_ = delivery.origin;
  call.lane_ = delivery.lane;
  call.trace_ = envelope.trace;
  call.responder_.core_ = weak_from_this();
  call.responder_.caller_ = delivery.origin;
  call.responder_.lane_ = delivery.lane;
  call.responder_.lineage_ = envelope.reply_lineage;
  call.responder_.call_ = envelope.call;
  call.responder_.trace_ = envelope.trace;
  if (bond.handlers.on_call) {
    const auto shown = showing("call ", *bond.name);
    bond.handlers.on_call(call);
  } else {
    (void)call.fail({Errc::no_handler, *bond.name + " takes no calls"});
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
  if (pending()) (void)fail({Errc::handler_failed, "dropped without an answer"});
  core_ = std::move(other.core_);
  caller_ = other.caller_;
  lane_ = other.lane_;
  lineage_ = other.lineage_;
  call_ = std::exchange(other.call_, 0);
  trace_ = other.trace_;
  return *this;
}

Responder::~Responder() {
  if (pending()) (void)fail({Errc::handler_failed, "dropped without an answer"});
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
