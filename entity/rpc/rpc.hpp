/// Typed calls of the methods of objects, wherever these live: read this header first, then
/// docs/guide/rpc.md.
///
///   namespace rpc = starbus::entity::rpc;
///
///   class Chat : public rpc::Host<Chat> {
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
/// return; what call() returns holds none of them. A text may be passed as a view or a literal, so
/// that no owning temporary need stand within a co_await expression (g++ 12: see task.hpp).
#pragma once

#include "entity/rpc/invoke.hpp"

namespace starbus::entity::rpc {

/// Whether an A may be passed for a parameter of type P, which has been decayed: what converts, but
/// for a fraction to a whole number.
template <class A, class P>
concept PassableAs = (std::convertible_to<A, P> ||
                      (std::same_as<P, std::string> && std::convertible_to<A, std::string_view>)) &&
                     !(std::floating_point<std::remove_cvref_t<A>> && std::integral<P>);

template <class Parameters, class... A>
inline constexpr bool kPassable = false;
template <class... P, class... A>
requires(sizeof...(P) == sizeof...(A)) inline constexpr bool kPassable<std::tuple<P...>, A...> =
    (PassableAs<A, P> && ...);

/// The arguments fit the method: their number, and each of them its parameter.
template <auto M, class... A>
concept CallableWith = Declared<M> && kPassable<typename TraitsOf<M>::Arguments, A...>;

namespace detail {

/// The value as the parameter's type. False for a whole number that does not fit.
template <class P, class A>
bool fits(const A& value) {
  if constexpr (std::integral<P> && std::integral<A> && !std::same_as<P, bool> &&
                !std::same_as<A, bool> && !std::same_as<P, A>) {
    const P converted = static_cast<P>(value);
    return static_cast<A>(converted) == value && (converted < P{}) == (value < A{});
  } else {
    return true;
  }
}
template <class P, class A>
P convert(A&& value) {
  if constexpr (std::integral<P> && std::integral<std::remove_cvref_t<A>>) {
    return static_cast<P>(value);
  } else if constexpr (std::convertible_to<A, P>) {
    return std::forward<A>(value);
  } else {
    return P(std::string_view(value));
  }
}
/// One argument's bytes, without a copy of it if its type allows.
template <class P, class A>
void put_argument(Encoder& out, const A& value) {
  if constexpr (std::same_as<P, A>) {
    put_value(out, value);
  } else if constexpr (std::same_as<P, std::string> &&
                       std::convertible_to<const A&, std::string_view>) {
    out.text(std::string_view(value));
  } else {
    put_value(out, convert<P>(value));
  }
}

template <auto M, class... A>
bool all_fit(const A&... arguments) {
  return [&]<class... P>(std::tuple<P...>*) {
    return (fits<P>(arguments) && ...);
  }(static_cast<typename TraitsOf<M>::Arguments*>(nullptr));
}
template <auto M, class... A>
typename TraitsOf<M>::Arguments pack(A&&... arguments) {
  return [&]<class... P>(std::tuple<P...>*) {
    return std::tuple<P...>(convert<P>(std::forward<A>(arguments))...);
  }(static_cast<typename TraitsOf<M>::Arguments*>(nullptr));
}

}  // namespace detail

/// Appends a whole call: what a gate, a test or a tool sends by means of its own. False: the
/// arguments do not fit, or exceed the limits of an archive; nothing was appended.
template <auto M, class... A>
requires CallableWith<M, A...>
bool encode_call(Bytes& out, CallHeader header, const A&... arguments) {
  if (!detail::all_fit<M>(arguments...)) return false;
  Encoder encoder(out);
  const MethodInfo& method = info_of<M>();
  header.method = method.id;
  header.signature = method.signature;
  put_header(encoder, header);
  [&]<class... P>(std::tuple<P...>*) {
    (detail::put_argument<P>(encoder, arguments), ...);
  }(static_cast<typename TraitsOf<M>::Arguments*>(nullptr));
  if (encoder.ok()) return true;
  encoder.rewind(0);
  return false;
}
template <auto M, class... A>
requires CallableWith<M, A...>
bool encode_call(Bytes& out, Behalf behalf, std::uint64_t client, const A&... arguments) {
  return encode_call<M>(out, CallHeader{.behalf = behalf, .client = client}, arguments...);
}

/// Calls a method of the object that has the channel, or of a component of it. Starts at once;
/// await what it returns, or give it a completion token. Always ends: with the answer, an error of
/// the method's own type (Failure::error), or one of docs/guide/rpc.md.
template <auto M, class... A>
requires CallableWith<M, A...> Pending < typename TraitsOf<M>::Value,
typename TraitsOf<M>::Refusal >
    call(Endpoint& endpoint, const Address& to, const CallOptions& options, A&&... arguments) {
  using State = typename LocalAnswer<M>::State;
  const MethodInfo& method = info_of<M>();
  auto* state = new State(endpoint, method, options.owner, options.deadline);
  Pending<typename TraitsOf<M>::Value, typename TraitsOf<M>::Refusal> pending(state);
  if (!endpoint.may_call()) {
    state->fail_later(Error(Errc::would_block, "too many calls wait"));
  } else if (!detail::all_fit<M>(arguments...)) {
    state->fail_later(Error(Errc::bad_arguments, method.full_name() + ": out of range"));
  } else {
    Slot* slot = endpoint.local(to);
    LocalQueue* queue = slot == nullptr ? nullptr : endpoint.route(*slot, options.lane);
    if (queue == nullptr) {
      if (encode_call<M>(endpoint.scratch(), options.behalf, options.client, arguments...)) {
        endpoint.call_by_bus(to, options, *state);
      } else {
        state->fail_later(Errc::too_large);
      }
    } else if (endpoint.full()) {
      state->fail_later(Errc::would_block);
    } else {
      state->hold();
      auto* message = new LocalCall<M>(slot->ref, options.behalf, state,
                                       detail::pack<M>(std::forward<A>(arguments)...));
      message->client = options.client;
      message->trace = options.trace;
      if (!endpoint.runs_soon(*queue)) state->arm_deadline();
      endpoint.push(*queue, message);
    }
  }
  return pending;
}

/// The same without an answer: what the method returns is dropped. Ok: it is in custody, as of
/// bus::Bus::send; what becomes of it later is counted, and if the bus could not deliver it told to
/// Bus::on_undelivered. Refused at once: would_block, bad_arguments, too_large, no_such_entity,
/// bus.
template <auto M, class... A>
requires CallableWith<M, A...> Result<> send(Endpoint& endpoint, const Address& to,
                                             const SendOptions& options, A&&... arguments) {
  if (!detail::all_fit<M>(arguments...)) return Error(Errc::bad_arguments, "out of range");
  Slot* slot = options.from == bus::ChannelId{} ? endpoint.local(to) : nullptr;
  LocalQueue* queue = slot == nullptr ? nullptr : endpoint.route(*slot, options.lane);
  if (queue == nullptr) {
    if (!encode_call<M>(endpoint.scratch(), options.behalf, options.client, arguments...)) {
      return Error(Errc::too_large);
    }
    return endpoint.send_by_bus(to, options);
  }
  if (endpoint.full()) return Error(Errc::would_block);
  (void)info_of<M>();
  auto* message = new LocalCall<M>(slot->ref, options.behalf, nullptr,
                                   detail::pack<M>(std::forward<A>(arguments)...));
  message->client = options.client;
  message->trace = options.trace;
  endpoint.push(*queue, message);
  return {};
}

/// One message to many owned channels, encoded once; those that are bound here get it as send does.
/// The rest is taken as a whole or refused as a whole, before anything is handed over here.
template <auto M, class... A>
requires CallableWith<M, A...> Result<> multicast(Endpoint& endpoint,
                                                  std::span<const std::string> to,
                                                  const SendOptions& options,
                                                  const A&... arguments) {
  if (!detail::all_fit<M>(arguments...)) return Error(Errc::bad_arguments, "out of range");
  std::vector<std::string> elsewhere;
  std::vector<const std::string*> here;
  for (const std::string& name : to) {
    const bool local = options.from == bus::ChannelId{} && endpoint.local(name) != nullptr;
    if (local) {
      here.push_back(&name);
    } else {
      elsewhere.push_back(name);
    }
  }
  if (!endpoint.takes(here.size())) return Error(Errc::would_block);
  if (!elsewhere.empty()) {
    if (!encode_call<M>(endpoint.scratch(), options.behalf, options.client, arguments...)) {
      return Error(Errc::too_large);
    }
    if (auto sent = endpoint.multicast_by_bus(elsewhere, options); !sent) return sent;
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
  if (!encode_call<M>(endpoint.scratch(), options.behalf, options.client, arguments...)) {
    return Error(detail::all_fit<M>(arguments...) ? Errc::too_large : Errc::bad_arguments);
  }
  return endpoint.announce_by_bus(group, options);
}

/// Runs a coroutine that ends with an object; what it throws ends it, and is counted as `failed`.
/// would_block: kMaxRunning, kMaxRunningPerHost; nothing was run.
Result<> spawn(Endpoint& endpoint, HostBase& object, Task<> task);

/// What a method of type Reply<T, E> returns to refuse.
template <class E>
Failure<E> refuse(E error) {
  return Failure<E>::of_method(std::move(error));
}

}  // namespace starbus::entity::rpc
