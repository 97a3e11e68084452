/// Encodes a whole call: for gates, tests and tools that send by means of their own. Part of
/// rpc.hpp.
#pragma once

#include "entity/rpc/call_fits.hpp"
#include "entity/rpc/invoke.hpp"

namespace starbus::entity::rpc {

namespace detail {

/// False for a whole number outside the range of the parameter's type.
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
/// Encodes one argument, without a copy of it if its type allows.
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

/// Appends a whole call. False, and nothing appended: the arguments do not fit, or exceed the
/// limits of an archive.
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

/// Chosen where the arguments do not fit: says why not.
template <auto M, class... A>
requires(!CallableWith<M, A...>) bool encode_call(Bytes&, const CallHeader&, const A&...) {
  static_assert(CallFault<M, A...>::check());
  return false;
}
template <auto M, class... A>
requires(!CallableWith<M, A...>) bool encode_call(Bytes&, Behalf, std::uint64_t, const A&...) {
  static_assert(CallFault<M, A...>::check());
  return false;
}

}  // namespace starbus::entity::rpc
