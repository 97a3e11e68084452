#include "nodes/login/tickets/used_tickets.hpp"

namespace starbus::nodes::login {

Result<> UsedTickets::use(const Ticket& ticket, std::uint64_t now) {
  forget(now);
  const Id id{ticket.session, ticket.login};
  if (used_.contains(id)) {
    return Error(Errc::used, "ticket: used before; log in again");
  }
  if (used_.size() >= most_) {
    return Error(Errc::too_many, "account: too many logins at a time; log in later");
  }
  used_.insert(id);
  ends_.emplace(ticket.expires + static_cast<std::uint64_t>(kTicketSkew.count()), id);
  return {};
}

void UsedTickets::forget(std::uint64_t now) {
  while (!ends_.empty() && ends_.begin()->first < now) {
    used_.erase(ends_.begin()->second);
    ends_.erase(ends_.begin());
  }
}

}  // namespace starbus::nodes::login
