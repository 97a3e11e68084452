/// Which tickets of kind `login` were used: each once, for as long as it could come again.
///
/// Belongs to whoever takes tickets (an account, on its thread). Bounded by kUsedTickets; forgets
/// by the clock that callers give. Failures are values.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "nodes/login/tickets/ticket.hpp"

namespace starbus::nodes::login {

class UsedTickets {
 public:
  explicit UsedTickets(std::size_t most = kUsedTickets) : most_(most) {}

  /// Notes a ticket that verify() has found good at the same `now`. Errors: used, too_many (then it
  /// is not noted, and must not be taken).
  Result<> use(const Ticket& ticket, std::uint64_t now);
  std::size_t size() const { return used_.size(); }

 private:
  struct Id {
    entity::sessions::SessionId session;
    std::uint64_t login;
    friend auto operator<=>(const Id&, const Id&) = default;
  };
  void forget(std::uint64_t now);

  const std::size_t most_;
  std::set<Id> used_;
  std::multimap<std::uint64_t, Id> ends_;  // by the time from which verify() refuses it
};

}  // namespace starbus::nodes::login
