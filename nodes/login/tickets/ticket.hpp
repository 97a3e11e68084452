/// Tickets: what a login has found out, signed (Ed25519), so that an account believes it from a
/// gate. Read this header first; docs/design/login.md has the bytes.
///
///   const auto bytes = sign(ticket, key);                              // the login
///   const auto ticket = verify(bytes, keys, TicketKind::login, now);   // the account
///
/// A ticket of kind `login` lives kTicketLife and is used once (used_tickets.hpp). One of kind
/// `reentry` is the signed part of a client's token: an account takes it as often as its present
/// login is this one, so it needs no list. Bytes come from clients: they are hostile.
/// Pure functions and plain values; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "entity/client/ids.hpp"
#include "nodes/login/error.hpp"
#include "nodes/login/tickets/keys.hpp"
#include "nodes/login/tickets/limits.hpp"

namespace starbus::nodes::login {

/// What a ticket is for. The numbers travel.
enum class TicketKind : std::uint8_t { login = 1, reentry = 2 };

struct Ticket {
  TicketKind kind = TicketKind::login;
  std::string account{};  // its channel
  entity::sessions::SessionId session{};
  entity::sessions::GateId gate{};  // that drew the session; of a reentry empty: any gate
  std::uint64_t login = 0;          // which proof of identity
  std::uint64_t expires = 0;        // milliseconds since 1970
  friend bool operator==(const Ticket&, const Ticket&) = default;
};

/// At most sessions::kTicketBytes. Errors: too_large.
Result<bus::Bytes> sign(const Ticket& ticket, const SigningKey& key);

/// The ticket, if one of the keys has signed it, it is of this kind, and `now` (milliseconds since
/// 1970) is at most kTicketSkew after its end. Errors: malformed, unknown_key, signature,
/// wrong_kind, expired. Nothing but its form and its signature is looked at before the signature is
/// found good.
Result<Ticket> verify(bus::ByteView bytes, const VerifyingKeys& keys, TicketKind kind,
                      std::uint64_t now);

}  // namespace starbus::nodes::login
