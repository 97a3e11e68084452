#include "entity/rpc/endpoint/dispatcher.hpp"

#include <cassert>
#include <cstddef>
#include <cstdio>

#include "bus/client/bus.hpp"
#include "entity/rpc/endpoint/endpoint_core.hpp"
#include "entity/rpc/invoke.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {
namespace {

constexpr Budget kClientBudget{kClientBytes, kClientElements, kClientMemory, kClientDepth};

bool has_form(const bus::Message& message, std::uint8_t form) {
  return !message.body().empty() && message.body()[0] == static_cast<std::byte>(form);
}

/// Of a message for an object that begins like no call.
std::string no_call(const bus::Message& message) {
  if (message.body().empty()) return "an empty message is no RPC call";
  char text[96];
  const auto first = std::to_integer<unsigned>(message.body()[0]);
  const int size = std::snprintf(
      text, sizeof text, "no RPC call: begins with byte %02x; use rpc::call or rpc::send", first);
  return {text, static_cast<std::size_t>(size)};
}

/// Of a call with other types.
std::string types_of(const MethodInfo& method) {
  return method.full_name().append(" is ").append(method.text).append(" here");
}

std::string unknown_method(std::uint32_t id) {
  char text[32];
  const int size = std::snprintf(text, sizeof text, "no method %08x here", id);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

void Dispatcher::dispatch(SlotRef to, const bus::Message& message, bus::Call* call) {
  core_.thread.check();
  if (message.body().size() == 1 && has_form(message, kFenceForm)) return;
  Errc error = Errc::no_such_entity;
  std::string detail;
  if (const Slot* slot = core_.bindings.find(to); slot != nullptr && slot->name) {
    assert(!slot->packed);  // the bus hands nothing over before the end of the move
    Decoder in(message.body());
    ++core_.counters.remote;
    error = has_form(message, kAnswerForm) ? take_answer(*slot, in, message)
                                           : dispatch_call(*slot, in, message, call, detail);
  }
  if (error == Errc::ok) return;
  core_.counters.count(error);
  if (call != nullptr) core_.replies.send(call->responder(), Error(error, std::move(detail)));
}

Errc Dispatcher::dispatch_call(const Slot& slot, Decoder& in, const bus::Message& message,
                               bus::Call* call, std::string& detail) {
  CallHeader header;
  if (const Errc bad = get_header(in, header); bad != Errc::ok) {
    detail = no_call(message);
    return bad;
  }
  const MethodInfo* method = core_.dictionary.find(header.method);
  if (method == nullptr) {  // a method of another build
    detail = unknown_method(header.method);
    return Errc::rpc_not_found;
  }
  CallableBase* object = nullptr;
  Caller caller;
  Errc error =
      admit(slot, *method, message.origin(), header.behalf, header.client, object, caller.from);
  if (error == Errc::not_permitted) {
    detail = refusal(*method, message.origin(), header.behalf);
  }
  // A caller without permission does not learn the method's types.
  if (error == Errc::ok && header.signature != method->signature) {
    error = Errc::signature_mismatch;
    detail = types_of(*method);
  }
  const bool client = caller.from == From::own_client || caller.from == From::any_client;
  const Budget budget = client ? kClientBudget : Budget{};
  if (error == Errc::ok && in.left() > budget.bytes) error = Errc::bad_arguments;
  const bool question = !header.answer_to.empty();
  if (error == Errc::ok && question && !may_ask(caller.from, message.origin(), header, call)) {
    error = Errc::not_permitted;
    detail = method->full_name().append(
        ": asked by no server, or by a gate for a channel that is not its own, or of a gate");
  }
  if (error == Errc::ok) {
    caller.endpoint = &core_.endpoint;
    caller.client = header.client;
    caller.process = message.origin();
    caller.channel = message.channel();
    caller.trace = message.trace();
    Decoder arguments(in.rest(), budget);
    Invocation invocation{core_, *object, *method, caller, header, arguments, call, detail, {}};
    error = invoke(slot, invocation, question);
  }
  if (error == Errc::ok) return error;
  ++core_.meter.of(*method).refused;
  if (detail.empty()) detail = method->full_name();
  return error;
}

Errc Dispatcher::invoke(const Slot& slot, Invocation& at, bool question) {
  Errc error = Errc::ok;
  if (at.method.coroutine) {  // it measures its frames itself
    error = at.method.invoke(at);
  } else {
    WorkFrame frame(core_.meter, CurrentWork::method(at.method), core_.meter.of(at.method),
                    slot.ref);
    error = at.method.invoke(at);
    if (error != Errc::ok) frame.cancel();
  }
  if (error == Errc::ok && question) {  // tells the sender that the question was taken
    auto buffer = core_.buffers.lend();
    Encoder out(*buffer);
    put_reply_head(out, ReplyKind::value);
    core_.replies.send(at.call->responder(), *buffer);
  }
  return error;
}

/// A question names a channel that this process is to send to: whose, only a server chooses. A
/// gate is told so at its own channels, which the directory shows. And a gate's answer to others
/// would not be believed.
bool Dispatcher::may_ask(From from, const bus::Process& origin, const CallHeader& header,
                         const bus::Call* call) const {
  if (call == nullptr) return false;
  if (is_own(origin)) return from == From::server;
  if (core_.gates.gates().is_gate(core_.bus.self())) return false;
  if (from == From::gate) return core_.gates.gates().owns(origin, header.answer_to);
  return from == From::server;
}

/// Only servers may answer, who may call everything here anyway, and this process itself.
Errc Dispatcher::take_answer(const Slot& slot, Decoder& in, const bus::Message& message) {
  AnswerId question;
  if (!get_answer_head(in, question)) return Errc::bad_bytes;
  if (kind_of(message.origin(), Behalf::none) != From::server) return Errc::not_permitted;
  AnswerSink* const sink = slot.host->answer_sink();
  const bool waited = sink != nullptr && sink->take_answer(question, in.rest());
  ++(waited ? core_.counters.answers : core_.counters.late_answers);
  return Errc::ok;
}

Errc Dispatcher::admit(const Slot& slot, const MethodInfo& method, const bus::Process& origin,
                       Behalf behalf, std::uint64_t client, CallableBase*& object,
                       From& from) const {
  Errc why = Errc::ok;
  object = slot.host->object_for(method.owner, why);
  if (object == nullptr) return why;
  if (!core_.gates.known()) return Errc::not_permitted;
  const std::optional<From> kind = kind_of(origin, behalf);
  if (!kind) return Errc::not_permitted;
  from = *kind;
  if (from == From::own_client && !slot.host->is_own_client(origin, client)) {
    ++core_.counters.false_clients;
    return Errc::not_permitted;
  }
  return permits(method.allow, from) ? Errc::ok : Errc::not_permitted;
}

bool Dispatcher::is_own(const bus::Process& origin) const {
  return origin == core_.bus.self();
}

void Dispatcher::request(CallableBase& host, ByteView call, const bus::Process& from,
                         std::uint64_t client, AnswerTaker taker) {
  core_.thread.check();
  Decoder in(call);
  CallHeader header;
  std::string detail;
  const Slot* const slot = core_.bindings.find(core_.bindings.slot_of(host));
  Errc error = slot == nullptr ? Errc::no_such_entity : get_header(in, header);
  const MethodInfo* const method =
      error == Errc::ok ? core_.dictionary.find(header.method) : nullptr;
  if (error == Errc::ok && method == nullptr) {
    error = Errc::rpc_not_found;
    detail = unknown_method(header.method);
  }
  CallableBase* object = nullptr;
  if (error == Errc::ok) object = host.object_for(method->owner, error);
  if (error == Errc::ok && !permits(method->allow, From::own_client)) {
    error = Errc::not_permitted;
    detail = method->full_name() + ": for " + to_string(method->allow);
  }
  if (error == Errc::ok && header.signature != method->signature) {
    error = Errc::signature_mismatch;
    detail = types_of(*method);
  }
  if (error == Errc::ok && (in.left() > kClientBudget.bytes || !header.answer_to.empty())) {
    error = Errc::bad_arguments;
  }
  if (error == Errc::ok) {
    const std::string channel(core_.bindings.channel_of(host));  // the object may end within
    Caller caller;
    caller.endpoint = &core_.endpoint;
    caller.from = From::own_client;
    caller.client = client;
    caller.process = from;
    caller.channel = channel;
    Decoder arguments(in.rest(), kClientBudget);
    Invocation invocation{core_,     *object, *method, caller, header,
                          arguments, nullptr, detail,  taker};
    error = invoke(*slot, invocation, false);
  }
  if (error == Errc::ok) return;
  core_.counters.count(error);
  core_.replies.send(AnswerRoute(std::move(taker)), Error(error, std::move(detail)));
}

std::optional<From> Dispatcher::kind_of(const bus::Process& origin, Behalf behalf) const {
  // Its objects trust the code beside them, whatever others think of the process.
  if (behalf == Behalf::none && is_own(origin)) return From::server;
  if (core_.gates.gates().is_gate(origin)) {
    return behalf == Behalf::none ? From::gate : static_cast<From>(behalf);
  }
  if (behalf != Behalf::none) return std::nullopt;
  return core_.gates.servers().is_server(origin) ? From::server : From::any_client;
}

std::string Dispatcher::refusal(const MethodInfo& method, const bus::Process& origin,
                                Behalf behalf) const {
  std::string text = method.full_name();
  if (!core_.gates.known()) return text + ": it is not known yet who is a gate; try again";
  const std::optional<From> kind = kind_of(origin, behalf);
  if (!kind) return text + ": a process that is no gate speaks for a client";
  if (*kind == From::own_client && permits(method.allow, *kind)) {
    return text + ": the gate speaks for a client that does not play this object";
  }
  text.append(": for ").append(to_string(method.allow));
  if (method.allow != server) text.append("|server");
  return text.append(", and the caller is ").append(name_of(*kind));
}

}  // namespace starbus::entity::rpc
