#include "nodes/login/accounts/ticket_check.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/wall_clock.hpp"

namespace starbus::nodes::login {

players::AccountWorld::Ticket ticket_check(VerifyingKeys keys) {
  return [keys = std::move(keys)](const std::string& account,
                                  bus::ByteView bytes) -> std::optional<players::TicketSeen> {
    const std::uint64_t now = wall_ms();
    std::string why;
    for (const TicketKind kind : {TicketKind::login, TicketKind::reentry}) {
      const auto ticket = verify(bytes, keys, kind, now);
      if (!ticket || ticket->account != account) {
        why = ticket ? "it is of " + ticket->account : ticket.error().to_string();
        continue;
      }
      return players::TicketSeen{kind == TicketKind::reentry, ticket->session, ticket->gate.channel,
                                 ticket->login};
    }
    spdlog::warn("{}: a ticket is refused: {}", account, why);
    return std::nullopt;
  };
}

}  // namespace starbus::nodes::login
