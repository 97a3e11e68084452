/// The functions of rpc.hpp for arguments that do not fit: chosen where the true ones are not, and
/// refused by the compiler with the name of the mistake. Part of rpc.hpp; nothing of it runs.
#pragma once

#include <span>

#include "entity/rpc/call_fits.hpp"
#include "entity/rpc/endpoint.hpp"
#include "entity/rpc/pending.hpp"

namespace starbus::entity::rpc {

/// What such a call returns, so that the compiler says nothing else about its place.
template <auto M>
struct MisfitCall {
  using Reply = Pending<int, NoError>;
};
template <auto M>
requires RpcMethod<M>
struct MisfitCall<M> {
  using Reply = Pending<typename TraitsOf<M>::Value, typename TraitsOf<M>::Refusal>;
};

/// Never compiles: says why the arguments do not fit.
template <auto M, class... A>
requires(!CallableWith<M, A...>) typename MisfitCall<M>::Reply
    call(Endpoint&, const Address&, const CallOptions&, A&&...) {
  static_assert(CallFault<M, A...>::check());
  return typename MisfitCall<M>::Reply(nullptr);
}
/// Never compiles: says why the arguments do not fit.
template <auto M, class... A>
requires(!CallableWith<M, A...>) Result<> send(Endpoint&, const Address&, const SendOptions&,
                                               A&&...) {
  static_assert(CallFault<M, A...>::check());
  return {};
}
/// Never compiles: says why the arguments do not fit.
template <auto M, class... A>
requires(!CallableWith<M, A...>) Result<> multicast(Endpoint&, std::span<const std::string>,
                                                    const SendOptions&, const A&...) {
  static_assert(CallFault<M, A...>::check());
  return {};
}
/// Never compiles: says why the arguments do not fit.
template <auto M, class... A>
requires(!CallableWith<M, A...>) Result<> announce(Endpoint&, std::string_view, const SendOptions&,
                                                   const A&...) {
  static_assert(CallFault<M, A...>::check());
  return {};
}

}  // namespace starbus::entity::rpc
