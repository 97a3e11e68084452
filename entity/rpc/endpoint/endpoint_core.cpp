#include "entity/rpc/endpoint/endpoint_core.hpp"

#include "bus/client/bus.hpp"
#include "entity/rpc/call_state.hpp"
#include "entity/rpc/endpoint.hpp"

namespace starbus::entity::rpc::detail {
namespace {

Result<> result_of_bus(const bus::Result<>& result) {
  if (result) return {};
  return from_bus(result.error());
}

bus::SendOptions bus_options(const SendOptions& options) {
  bus::SendOptions how;
  how.lane = options.lane;
  how.ttl = options.ttl;
  how.trace = options.trace;
  how.hash_key = options.hash_key;
  how.from = options.from;
  how.when_full = options.when_full;
  return how;
}

template <class Options>
bus::CallOptions bus_call_options(const Options& options) {
  bus::CallOptions how;
  how.deadline = options.deadline;
  how.lane = options.lane;
  how.trace = options.trace;
  how.hash_key = options.hash_key;
  return how;
}

/// The error that a question ended with before its answer could come; ok if it was taken.
Error refusal_of(const bus::Result<Bytes>& taken) {
  if (!taken) {
    // The question has a deadline of its own, which travels.
    return taken.error() == bus::Errc::deadline ? Error() : from_bus(taken.error());
  }
  Error error;
  ReplyKind kind{};
  Decoder in(*taken);
  if (!get_reply_head(in, kind, error)) return Errc::bad_bytes;
  return kind == ReplyKind::error ? error : Error();
}

}  // namespace

EndpointCore::EndpointCore(Endpoint& facade, bus::Bus& used)
    : endpoint(facade),
      bus(used),
      loop(used.loop()),
      dictionary(Dictionary::of_process()),
      bindings([this](Slot& slot) { binder.host_ended(slot); }),
      meter(bindings, dictionary.methods().size()),
      calls(loop, meter),
      replies(used, loop, buffers, counters),
      gates(used, loop),
      dispatcher(*this),
      local(*this),
      binder(*this) {
  bus.on_lease_lost([self = self_] {
    if (*self == nullptr) return;
    EndpointCore& core = **self;
    core.binder.lease_lost();
    if (core.on_lease_lost) core.on_lease_lost();
  });
  gates.start();
}

EndpointCore::~EndpointCore() {
  thread.check();
  *self_ = nullptr;
  for (Slot& slot : bindings.slots()) {
    if (slot.host == nullptr) continue;
    bindings.release(slot);
    local.released(slot);
  }
  running.kill_all();
  local.close();
  calls.close();
}

EndpointCore& core_of(Endpoint& endpoint) {
  return endpoint.core();
}

void EndpointCore::call_by_bus(const Address& to, const CallOptions& options, ByteView body,
                               CallState& state) {
  bus.call(std::string(to.text()), body, bus_call_options(options),
           [held = boost::intrusive_ptr<CallState>(&state)](const bus::Result<Bytes>& answer) {
             answer ? held->take_bytes(*answer) : held->fail(from_bus(answer.error()));
           });
}

Result<> EndpointCore::send_by_bus(const Address& to, const SendOptions& options, ByteView body) {
  const bus::SendOptions how = bus_options(options);
  return result_of_bus(to.name() != nullptr ? bus.send(*to.name(), body, how)
                                            : bus.send(to.text(), body, how));
}

Result<> EndpointCore::multicast_by_bus(std::span<const std::string> to, const SendOptions& options,
                                        ByteView body) {
  return result_of_bus(bus.multicast(to, body, bus_options(options)));
}

Result<> EndpointCore::announce_by_bus(std::string_view group, const SendOptions& options,
                                       ByteView body) {
  return result_of_bus(bus.announce(group, body, bus_options(options)));
}

/// The bus answers that the question was taken; or why it was not: by the callee, by the bus, or by
/// an older release, which knows no questions. The object that asked may have moved meanwhile.
void EndpointCore::ask(const Address& to, const AskOptions& options, ByteView body,
                       std::string_view channel, const AnswerId& question) {
  bus.call(
      std::string(to.text()), body, bus_call_options(options),
      [self = self_, channel = std::string(channel), question](const bus::Result<Bytes>& taken) {
        if (*self == nullptr) return;
        const Error error = refusal_of(taken);
        if (error == Errc::ok) return;
        (*self)->replies.send(AnswerRoute(channel, question), error);
      });
}

}  // namespace starbus::entity::rpc::detail
