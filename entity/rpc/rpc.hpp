/// Typed calls of the methods of objects, wherever these live: read this header first, then
/// docs/guide/rpc.md.
///
///   namespace rpc = starbus::entity::rpc;
///
///   class Chat : public rpc::Callable<Chat> {
///    public:
///     bus::Result<int> join(rpc::Caller& from, std::string room);     // answers, or refuses
///     void said(rpc::Caller& from, std::string text);                 // one-way, mostly
///     rpc::Task<int> slow(rpc::Caller& from, int n);                  // answers later
///     static constexpr auto kRpc = rpc::methods("chat",
///         rpc::method<&Chat::join>("join"),
///         rpc::method<&Chat::said>("said", rpc::own_client),
///         rpc::method<&Chat::slow>("slow"));
///   };
///
///   rpc::Endpoint endpoint(bus);
///   co_await endpoint.bind("service/chat", chat, use_awaitable);
///   auto seats = co_await rpc::call<&Chat::join>(endpoint, "service/chat", {}, "lobby");
///   rpc::send<&Chat::said>(endpoint, "service/chat", {}, "hello");
///   rpc::multicast<&Chat::said>(endpoint, names, {}, "hello");
///
/// Everything belongs to the loop's thread. Arguments are copied or encoded before these functions
/// return; the result of call() holds none of them. What g++ 12 would destroy twice within a
/// co_await expression, a temporary of a struct that owns memory, does not compile there.
#pragma once

#include "entity/rpc/callback_pending.hpp"
#include "entity/rpc/encode_call.hpp"
#include "entity/rpc/endpoint.hpp"
#include "entity/rpc/misfit_calls.hpp"
#include "entity/rpc/pending.hpp"

namespace starbus::entity::rpc {

/// Calls a method of the object that has the channel, or of a component of it. Starts at once;
/// await the result, a Pending, or give it a completion token (a callback alone, if an argument is
/// a temporary struct that owns memory: CallbackPending). Always ends: with the answer, an error of
/// the method's own type (Failure::error), or one of docs/guide/rpc.md.
template <auto M, class... A>
requires CallableWith<M, A...>
auto call(Endpoint& endpoint, const Address& to, const CallOptions& options, A&&... arguments) {
  using State = typename LocalAnswer<M>::State;
  detail::EndpointCore& core = endpoint.core();
  const MethodInfo& method = info_of<M>();
  const boost::intrusive_ptr<State> state(
      new State(core.calls, method, options.owner, options.deadline));
  Pending<typename TraitsOf<M>::Value, typename TraitsOf<M>::Refusal> pending(state);
  if (!core.calls.may_begin()) {
    state->fail_later(Error(Errc::would_block, "too many calls wait"));
  } else if (!detail::all_fit<M>(arguments...)) {
    state->fail_later(Error(Errc::bad_arguments, method.full_name() + ": out of range"));
  } else {
    Slot* slot = core.bindings.find(to);
    LocalQueue* queue = slot == nullptr ? nullptr : core.local.route(*slot, options.lane);
    if (queue == nullptr) {
      auto buffer = core.buffers.lend();
      if (encode_call<M>(*buffer, options.behalf, options.client, arguments...)) {
        core.call_by_bus(to, options, *buffer, *state);
      } else {
        state->fail_later(Errc::too_large);
      }
    } else if (!core.local.takes(1)) {
      state->fail_later(Errc::would_block);
    } else {
      auto message = std::make_unique<LocalCall<M>>(slot->ref, options.behalf, state,
                                                    detail::pack<M>(std::forward<A>(arguments)...));
      message->client = options.client;
      message->trace = options.trace;
      if (!core.local.runs_soon(*queue)) state->arm_deadline();
      core.local.push(*queue, std::move(message));
    }
  }
  return detail::guard_temporaries<A...>(std::move(pending));
}

/// The same without an answer: the return value of the method is dropped. Ok: it is in custody, as
/// with bus::Bus::send; its outcome is counted, and reported to Bus::on_undelivered if the bus
/// could not deliver it. Refused at once: would_block, bad_arguments, too_large, no_such_entity,
/// bus.
template <auto M, class... A>
requires CallableWith<M, A...> Result<> send(Endpoint& endpoint, const Address& to,
                                             const SendOptions& options, A&&... arguments) {
  if (!detail::all_fit<M>(arguments...)) return Error(Errc::bad_arguments, "out of range");
  detail::EndpointCore& core = endpoint.core();
  Slot* slot = options.from == bus::ChannelId{} ? core.bindings.find(to) : nullptr;
  LocalQueue* queue = slot == nullptr ? nullptr : core.local.route(*slot, options.lane);
  if (queue == nullptr) {
    auto buffer = core.buffers.lend();
    if (!encode_call<M>(*buffer, options.behalf, options.client, arguments...)) {
      return Error(Errc::too_large);
    }
    return core.send_by_bus(to, options, *buffer);
  }
  if (!core.local.takes(1)) return Error(Errc::would_block);
  (void)info_of<M>();
  auto message = std::make_unique<LocalCall<M>>(slot->ref, options.behalf, nullptr,
                                                detail::pack<M>(std::forward<A>(arguments)...));
  message->client = options.client;
  message->trace = options.trace;
  core.local.push(*queue, std::move(message));
  return {};
}

/// One message to many owned channels, encoded once; those that are bound here get it as send does.
/// The rest gets it as SendOptions::when_full says, or is refused as a whole, before anything is
/// handed over here.
template <auto M, class... A>
requires CallableWith<M, A...> Result<> multicast(Endpoint& endpoint,
                                                  std::span<const std::string> to,
                                                  const SendOptions& options,
                                                  const A&... arguments) {
  if (!detail::all_fit<M>(arguments...)) return Error(Errc::bad_arguments, "out of range");
  detail::EndpointCore& core = endpoint.core();
  std::vector<std::string> elsewhere;
  std::vector<const std::string*> here;
  for (const std::string& name : to) {
    const bool local = options.from == bus::ChannelId{} && core.bindings.find(name) != nullptr;
    if (local) {
      here.push_back(&name);
    } else {
      elsewhere.push_back(name);
    }
  }
  if (!core.local.takes(here.size())) return Error(Errc::would_block);
  if (!elsewhere.empty()) {
    auto buffer = core.buffers.lend();
    if (!encode_call<M>(*buffer, options.behalf, options.client, arguments...)) {
      return Error(Errc::too_large);
    }
    if (auto sent = core.multicast_by_bus(elsewhere, options, *buffer); !sent) return sent;
  }
  Result<> result;
  for (const std::string* name : here) {
    if (auto sent = send<M>(endpoint, *name, options, arguments...); !sent) result = sent;
  }
  return result;
}

/// One message to the members of a group: see bus::Bus::announce. Always by the bus, also to a
/// member in this process.
template <auto M, class... A>
requires CallableWith<M, A...> Result<> announce(Endpoint& endpoint, std::string_view group,
                                                 const SendOptions& options,
                                                 const A&... arguments) {
  detail::EndpointCore& core = endpoint.core();
  auto buffer = core.buffers.lend();
  if (!encode_call<M>(*buffer, options.behalf, options.client, arguments...)) {
    return Error(detail::all_fit<M>(arguments...) ? Errc::too_large : Errc::bad_arguments);
  }
  return core.announce_by_bus(group, options, *buffer);
}

/// Runs a coroutine that ends with an object; an exception ends it, and is counted as `failed`.
/// would_block: kMaxRunning, kMaxRunningPerHost; nothing was run.
Result<> spawn(Endpoint& endpoint, CallableBase& object, Task<> task);

/// The refusal that a method of type Reply<T, E> returns.
template <class E>
Failure<E> refuse(E error) {
  return Failure<E>::of_method(std::move(error));
}

}  // namespace starbus::entity::rpc
