#pragma once

#include "nodes/login/tickets/ticket.hpp"
#include "nodes/players/account_world.hpp"

namespace starbus::nodes::login {

/// For players::AccountWorld::ticket: believes what one of these keys has signed, for the account
/// that it names. That a login ticket is used once follows from its number: an account takes no
/// login that is not above its own. The loop's thread.
players::AccountWorld::Ticket ticket_check(VerifyingKeys keys);

}  // namespace starbus::nodes::login
