/// The result of an rpc::call that was given a temporary which g++ 12 would destroy twice within a
/// co_await expression: it takes a callback only. Part of rpc.hpp; docs/design/gcc12.md.
#pragma once

#include "base/co_await_trap.hpp"
#include "bus/client/initiate_early.hpp"
#include "entity/rpc/pending.hpp"

namespace starbus::entity::rpc {

/// As Pending, but it cannot be awaited, nor turned into something that can. A Pending that is made
/// of it, in a statement of its own, can: the temporary is gone by then. Move-only; belongs to the
/// loop's thread.
template <class T, class E>
class [[nodiscard]] CallbackPending final : public Pending<T, E>, public NotAwaitable {
 public:
  explicit CallbackPending(Pending<T, E>&& pending) : Pending<T, E>(std::move(pending)) {}
  void awaiter(Running*) && = delete;  // give the argument a name first
  template <boost::asio::completion_token_for<void(Reply<T, E>)> Token>
  requires(!bus::kAwaits<Token, void(Reply<T, E>)>)  //
      auto
      operator()(Token&& token) && {
    return static_cast<Pending<T, E>&&>(*this)(std::forward<Token>(token));
  }
};

namespace detail {

/// The arguments are those of a call, as deduced for forwarding references.
template <class... A, class T, class E>
auto guard_temporaries(Pending<T, E>&& pending) {
  if constexpr ((kTrapsCoAwait<A> || ...)) {
    return CallbackPending<T, E>(std::move(pending));
  } else {
    return std::move(pending);
  }
}

}  // namespace detail
}  // namespace starbus::entity::rpc
