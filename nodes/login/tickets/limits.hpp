/// Every bound of tickets, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::login {

// X(constant, value, unit, reason, when reached, the test that reaches it)
#define STARBUS_TICKET_LIMITS(X)                                                           \
  X(kTicketLife, 30s, "that a gate has to bind the session: BigWorld's figure", "expired", \
    "Tickets.ExpireWithRoomForClocks")                                                     \
  X(kReentryLife, 12h, "unless configured otherwise: a long evening", "expired",           \
    "Tickets.ExpireWithRoomForClocks")                                                     \
  X(kTicketSkew, 5s, "by which clocks of hosts may differ", "expired",                     \
    "Tickets.ExpireWithRoomForClocks")                                                     \
  X(kTicketKeys, 8, "keys",                                                                \
    "public ones at a time: two for each of a few logins while they are "                  \
    "exchanged",                                                                           \
    "too_many", "Tickets.KeysAreBounded")                                                  \
  X(kKeyFileBytes, 4_KiB, "bytes", "a PEM file with one key", "bad_key",                   \
    "TicketKeyFiles.AreRefusedWithAReason")                                                \
  X(kUsedTickets, 1'024, "tickets", "of one account, within the life of a ticket",         \
    "too_many: the ticket is not taken", "UsedTicketsTest.AreBounded")

STARBUS_LIMITS_OF(kTicketLimits, STARBUS_TICKET_LIMITS)

}  // namespace starbus::nodes::login
