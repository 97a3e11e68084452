#include "nodes/login/tickets/ticket.hpp"

#include "entity/client/fields.hpp"

namespace starbus::nodes::login {
namespace {

using entity::Decoder;
using entity::Encoder;
using entity::sessions::FieldReader;
using entity::sessions::FieldWriter;
using entity::sessions::kTicketBytes;

constexpr std::uint8_t kForm = 1;
// Goes before what is signed, so that a signature means a ticket and nothing else.
constexpr std::string_view kSignedAs = "starbus ticket\n";

template <class A, class V>
void ticket_of(A& a, V& v) {
  a.text(v.account, entity::sessions::kChannelBytes);
  a.key(v.session);
  if (v.kind == TicketKind::login) entity::sessions::gate_of(a, v.gate);
  a.number(v.login, entity::sessions::kAnyNumber);
  a.number(v.expires, ~std::uint64_t{0} >> 1);
}

bus::Bytes signed_part(bus::ByteView body) {
  const bus::ByteView prefix = bus::as_bytes(kSignedAs);
  bus::Bytes message(prefix.begin(), prefix.end());
  message.insert(message.end(), body.begin(), body.end());
  return message;
}

Error malformed(std::string_view what) {
  return {Errc::malformed, "ticket: " + std::string(what) + "; log in again"};
}

Result<Ticket> read_ticket(bus::ByteView body) {
  Decoder in(body);
  FieldReader fields(in);
  Ticket ticket;
  std::uint8_t form = 0;
  fields.byte(form, kForm, kForm);
  fields.byte(ticket.kind, 1, 2);
  static_cast<void>(in.take(sizeof(KeyId)));
  ticket_of(fields, ticket);
  if (in.finish() != entity::DataErrc::ok) return malformed("its fields do not have their form");
  return ticket;
}

}  // namespace

Result<bus::Bytes> sign(const Ticket& ticket, const SigningKey& key) {
  bus::Bytes bytes;
  Encoder out(bytes);
  FieldWriter fields(out);
  out.byte(kForm);
  out.byte(static_cast<std::uint8_t>(ticket.kind));
  out.raw(key.verifying().id().data(), sizeof(KeyId));
  ticket_of(fields, ticket);
  if (bytes.size() + kSignatureBytes > kTicketBytes) {
    return Error(Errc::too_large, "ticket: " + std::to_string(bytes.size() + kSignatureBytes) +
                                      " bytes; shorten the name of the account or the gate");
  }
  const Signature signature = key.sign(signed_part(bytes));
  bytes.insert(bytes.end(), signature.begin(), signature.end());
  return bytes;
}

Result<Ticket> verify(bus::ByteView bytes, const VerifyingKeys& keys, TicketKind kind,
                      std::uint64_t now) {
  if (bytes.size() > kTicketBytes) return malformed("too long");
  if (bytes.size() < kSignatureBytes + 2 + sizeof(KeyId)) return malformed("too short");
  const bus::ByteView body = bytes.first(bytes.size() - kSignatureBytes);
  auto ticket = read_ticket(body);
  if (!ticket) return ticket.error();
  const VerifyingKey* key = keys.find(body.subspan(2, sizeof(KeyId)));
  if (!key)
    return Error(Errc::unknown_key, "ticket: of a key that is not known here; log in again");
  if (!key->matches(signed_part(body), bytes.last(kSignatureBytes))) {
    return Error(Errc::signature, "ticket: its signature is wrong; log in again");
  }
  if (ticket->kind != kind) {
    return Error(Errc::wrong_kind, "ticket: of another kind; log in again");
  }
  if (now > ticket->expires &&
      now - ticket->expires > static_cast<std::uint64_t>(kTicketSkew.count())) {
    return Error(Errc::expired, "ticket: expired; log in again");
  }
  return ticket;
}

}  // namespace starbus::nodes::login
