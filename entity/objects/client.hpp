/// The client that plays an entity, as its code sees it: null-like if there is none.
///
///   if (auto client = this->client()) ...
///   auto told = client().call<&PlayerClient::hit>(5);      // no_client: nobody is there
///
/// All that is said goes down one stream with the changes of properties, in the order of saying,
/// also when the entity moves between two words (docs/design/sessions.md). Belongs to the loop's
/// thread; a Client is valid as long as its entity is. Failures are values.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "entity/client/droppables.hpp"
#include "entity/client/error.hpp"
#include "entity/client/ids.hpp"
#include "entity/objects/client_interface.hpp"
#include "entity/rpc/callable.hpp"

namespace starbus::entity {

class Entity;
namespace sessions {
class ClientLink;
struct Effects;
}  // namespace sessions

/// Carries out what links want done: a host of entities has one, in its world. Belongs to the
/// loop's thread.
class ClientPort {
 public:
  /// Sends what is to be sent, begins requests, and calls the hooks of the entity, which may end
  /// within this.
  virtual void carry_out(Entity& entity, sessions::Effects& effects) = 0;
  /// Milliseconds of a clock that goes on.
  virtual std::int64_t now_ms() const = 0;
  /// The epoch under which this process owns a channel; 0: it does not.
  virtual std::uint64_t epoch_of(std::string_view channel) const = 0;
  /// The number of this process, for the first part after a move.
  virtual bus::Process self() const = 0;

 protected:
  ~ClientPort() = default;
};

/// The link of an entity, made by the first word of an account.
struct EntityClient final : rpc::ClientCheck {
  /// Whether a gate speaks for the client that plays the entity.
  bool is_client(const bus::Process& gate, std::uint64_t client) const override;
  std::shared_ptr<sessions::ClientLink> link{};
  bus::Process before{};  // of one that has arrived: its home before
};

class Client {
 public:
  explicit Client(Entity& entity) : entity_(&entity) {}
  /// A client plays the entity.
  explicit operator bool() const;

  /// Calls a method of its interface. Errors: no_client, too_large, frozen; too_slow: it takes
  /// nothing, and its session has ended.
  template <auto M, class... A>
  Result<> call(A&&... arguments) const {
    Bytes bytes;
    if (encode_client_call<M>(bytes, std::forward<A>(arguments)...) != DataErrc::ok) {
      return sessions::SessionErrc::too_large;
    }
    return say(std::move(bytes));
  }
  /// Calls it when there is room for it, unless a newer update of the slot has come by then, or it
  /// is too old: for what moves. Errors: as call, without too_slow.
  template <auto M, class... A>
  Result<> update(std::uint64_t slot, const sessions::DropRule& rule, A&&... arguments) const {
    Bytes bytes;
    if (encode_client_call<M>(bytes, std::forward<A>(arguments)...) != DataErrc::ok) {
      return sessions::SessionErrc::too_large;
    }
    return update_encoded(slot, rule, std::move(bytes));
  }
  /// What the slot is about is gone: an update that waits is dropped. Before the call that says so.
  void drop_update(std::uint64_t slot) const;
  /// The client hears what its gate gets for this group, until it leaves or plays another entity.
  /// Errors: as call; too_many_groups.
  Result<> join(const std::string& group) const;
  Result<> leave(const std::string& group) const;
  /// Whether what its player sees may be told now: there is room for it, and its full state has
  /// gone. A false one is noted: droppable updates leave room for what waits.
  bool wants_sight() const;
  /// Tells it, as a body of client-protocol.md. Errors: as call; no_credit if not wants_sight().
  Result<> sight(Bytes body) const;
  /// Ends its play of this entity: its last part says why.
  void let_go(sessions::Reason reason = sessions::Reason::ended) const;
  /// Null: no account has ever linked it.
  const sessions::ClientLink* link() const;

 private:
  template <class Do>
  Result<> with_link(Do&& act) const;
  Result<> say(Bytes call) const;
  Result<> update_encoded(std::uint64_t slot, const sessions::DropRule& rule, Bytes call) const;
  Entity* entity_;
};

}  // namespace starbus::entity
