/// Asks the service of spaces for seats, and waits while there is none: a player does not fail
/// because the service was killed in that second.
///
///   space::SpaceCalls calls(node.rpc());
///   space::EnterRequest ask{.place = {"town", ""}, .patience = 10s};
///   const auto seat = co_await calls.enter(ask);     // a Grant: move the player to seat->node
///
/// A request is sent again if nothing of it ran (no owner, a full queue), if the service is being
/// replaced, and if it died with the request. The last may have reserved seats for nobody: that is
/// safe, because a seat that no player takes is given up after kTicketHold.
///
/// Belongs to the loop's thread; the endpoint outlives it. Its end ends all requests as canceled.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "bus/client/initiate.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/space/messages.hpp"

namespace starbus::nodes::space {

class SpaceCalls {
 public:
  explicit SpaceCalls(entity::rpc::Endpoint& endpoint);
  ~SpaceCalls();
  SpaceCalls(const SpaceCalls&) = delete;
  SpaceCalls& operator=(const SpaceCalls&) = delete;

  /// Completes by its patience and kEnterSlack at the latest, in a later turn of the loop: with
  /// seats that are held, or the errors of SpaceService::enter; too_late also if there was no
  /// service; would_block: kMaxSpaceCalls wait; canceled; other errors as of a call. With g++ 12
  /// `ask` must be a variable within a co_await expression.
  template <bus::CompletionFor<Grant> Token = bus::Awaited>
  auto enter(const EnterRequest& ask, Token&& token = Token()) {
    return bus::initiate<Grant>(token, [this, ask](bus::Done<Grant> done) mutable {
      this->ask(std::move(ask), std::move(done));
    });
  }
  /// The same with a callback; the number is for withdraw(). 0: it was refused, and is told so.
  std::uint64_t ask(EnterRequest ask, bus::Done<Grant> done);
  /// Nobody wants the seats of this request any more: it ends as canceled, and the service begins
  /// no space for it; or with seats that were held already, which the caller gives back. Nothing if
  /// it has ended.
  void withdraw(std::uint64_t number);
  /// Requests that wait for their answer.
  std::size_t waiting() const;

 private:
  class Requests;

  std::shared_ptr<Requests> requests_;
};

}  // namespace starbus::nodes::space
