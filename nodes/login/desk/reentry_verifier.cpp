#include "nodes/login/desk/reentry_verifier.hpp"

#include <utility>

#include "entity/client/account_name.hpp"

namespace starbus::nodes::login {

using entity::sessions::kAccountPrefix;

void ReentryVerifier::verify(Proof proof, std::function<void(Verdict)> done) {
  loop_.run_later(
      WorkName(typeid(ReentryVerifier)),
      [alive = std::weak_ptr(alive_), done = std::move(done), verdict = judge(proof.proof)] {
        if (!alive.expired()) done(verdict);
      });
}

Verdict ReentryVerifier::judge(bus::ByteView bytes) const {
  const auto ticket = login::verify(bytes, keys_, TicketKind::reentry, wall_ms_());
  if (ticket && ticket->account.starts_with(kAccountPrefix)) {
    return {Verdict::Kind::right, ticket->account.substr(kAccountPrefix.size()), {}, ticket->login};
  }
  // Too old, or of a key that is not used any more: once it was right.
  if (!ticket && (ticket.error() == Errc::expired || ticket.error() == Errc::unknown_key)) {
    return {Verdict::Kind::stale, {}, "too much time has passed; log in"};
  }
  return {Verdict::Kind::wrong, {}, {}};
}

}  // namespace starbus::nodes::login
