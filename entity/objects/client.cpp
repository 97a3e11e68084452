#include "entity/objects/client.hpp"

#include "entity/client/link.hpp"
#include "entity/objects/entity_manager.hpp"

namespace starbus::entity {
namespace {

ClientPort* port_of(const Entity& entity) {
  return entity.world().find<ClientPort>();
}

std::string encoded(const sessions::Answer& answer) {
  Bytes bytes;
  sessions::encode(answer, bytes);
  return std::string(bus::as_text(bytes));
}

}  // namespace

bool EntityClient::is_client(const bus::Process& gate, std::uint64_t client) const {
  if (!link || !link->linked()) return false;
  const sessions::LinkState& state = link->state();
  return gate == state.gate.process && client == sessions::client_number(state.session, state.bind);
}

const sessions::ClientLink* Client::link() const {
  return entity_->client_link();
}

Client::operator bool() const {
  return link() != nullptr && link()->linked();
}

/// Does something with its link, and has carried out what follows.
template <class Do>
Result<> Client::with_link(Do&& act) const {
  sessions::ClientLink* const link = entity_->client_link();
  if (link == nullptr) return sessions::SessionErrc::no_client;
  sessions::Effects effects;
  auto done = act(*link, effects);
  if (ClientPort* const port = port_of(*entity_)) port->carry_out(*entity_, effects);
  return done;
}

Result<> Client::say(Bytes call) const {
  return with_link([&](sessions::ClientLink& link, sessions::Effects& effects) {
    return link.call(std::make_shared<const Bytes>(std::move(call)), effects);
  });
}

Result<> Client::update_encoded(std::uint64_t slot, const sessions::DropRule& rule,
                                Bytes call) const {
  ClientPort* const port = port_of(*entity_);
  if (port == nullptr) return sessions::SessionErrc::no_client;
  return with_link([&](sessions::ClientLink& link, sessions::Effects& effects) {
    return link.droppable(slot, rule, std::make_shared<const Bytes>(std::move(call)),
                          sessions::LinkTime(port->now_ms()), effects);
  });
}

void Client::drop_update(std::uint64_t slot) const {
  if (sessions::ClientLink* const link = entity_->client_link()) link->drop(slot);
}

Result<> Client::join(const std::string& group) const {
  return with_link([&](sessions::ClientLink& link, sessions::Effects& effects) {
    return link.join(group, effects);
  });
}

Result<> Client::leave(const std::string& group) const {
  return with_link([&](sessions::ClientLink& link, sessions::Effects& effects) {
    return link.leave(group, effects);
  });
}

bool Client::wants_sight() const {
  sessions::ClientLink* const link = entity_->client_link();
  if (link == nullptr) return false;
  link->note_sight(!link->wants_sight());
  return link->wants_sight();
}

Result<> Client::sight(Bytes body) const {
  return with_link([&](sessions::ClientLink& link, sessions::Effects& effects) {
    return link.sight(std::make_shared<const Bytes>(std::move(body)), effects);
  });
}

void Client::let_go(sessions::Reason reason) const {
  sessions::ClientLink* const link = entity_->client_link();
  if (link == nullptr || link->frozen()) return;
  sessions::Effects effects;
  link->let_go(reason, effects);
  if (ClientPort* const port = port_of(*entity_)) port->carry_out(*entity_, effects);
}

// --- the entity's part ---------------------------------------------------------------------------

EntityClient& Entity::make_client(std::shared_ptr<sessions::ClientLink> link) {
  EntityHeld& held = more();
  if (!held.client) {
    held.client = std::make_unique<EntityClient>();
    clients_are(held.client.get());
  }
  held.client->link = std::move(link);
  return *held.client;
}

/// Words of accounts and gates. An entity without a link gets one with the first set_link.
std::string Entity::session(rpc::Caller& from, const std::string& word) {
  sessions::Answer none;
  none.kind = sessions::AnswerKind::not_linked;
  const auto read = sessions::decode_to_subject(bus::as_bytes(word));
  ClientPort* const port = port_of(*this);
  if (!read || port == nullptr) return encoded(none);
  const sessions::Sender sender{from.process, from.from == rpc::From::gate};
  sessions::Effects effects;
  if (client_link() == nullptr) {
    if (sender.gate || !std::holds_alternative<sessions::SetLink>(*read)) return encoded(none);
    make_client(std::make_shared<sessions::ClientLink>(std::string(from.channel)));
    client_link()->owned(port->epoch_of(from.channel), effects);
  }
  const std::string answer =
      encoded(client_link()->take(*read, sender, sessions::LinkTime(port->now_ms()), effects));
  port->carry_out(*this, effects);  // a hook may end the entity: last
  return answer;
}

bool Entity::player_word(rpc::Caller&, const std::string& word) {
  const auto read = sessions::decode_to_account(bus::as_bytes(word));
  if (!read) return false;
  on_player_word(*read);
  return true;
}

/// Its home, and the link, for MovedState.
void Entity::pack_client(Bytes& out) {
  ClientPort* const port = port_of(*this);
  if (client_link() == nullptr || port == nullptr) return;
  Encoder encoder(out);
  encoder.text(client_link()->subject());
  const bus::Process self = port->self();
  for (const std::uint64_t part :
       {std::uint64_t{self.host}, std::uint64_t{self.slot}, self.incarnation}) {
    encoder.varint(part);
  }
  sessions::encode(client_link()->freeze(sessions::LinkTime(port->now_ms())), out);
}

void Entity::client_goes_on() {
  if (client_link() == nullptr) return;
  sessions::Effects effects;
  client_link()->thaw(effects);
  if (ClientPort* const port = port_of(*this)) port->carry_out(*this, effects);
}

bool Entity::unpack_client(ByteView bytes) {
  Decoder in(bytes);
  const std::string subject(in.text());
  bus::Process before;
  before.host = in.number<std::uint32_t>();
  before.slot = in.number<std::uint32_t>();
  before.incarnation = in.varint();
  auto state = sessions::decode_link(in.rest());
  if (!in.ok() || !state) return false;
  const ClientPort* const port = port_of(*this);
  const std::int64_t now = port == nullptr ? 0 : port->now_ms();
  make_client(
      std::make_shared<sessions::ClientLink>(subject, std::move(*state), sessions::LinkTime(now)))
      .before = before;
  return true;
}

}  // namespace starbus::entity
