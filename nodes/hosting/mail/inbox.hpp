/// The place of an entity in its mailbox: a component whose state stands in the properties of its
/// owner, so that each save and each move takes it along with the effects of the messages.
///
///   struct PlayerState : entity::Properties<PlayerState> {
///     entity::StateOf<entities::Inbox> inbox{this};
///   };
///   class Player : public EntityOf<Player, Entity, entity::Components<entities::Inbox>> { ... };
///
/// The EntityHost of the entity opens the mailbox and writes this state; game code reads it.
/// Belongs to the loop's thread and to its entity. docs/guide/entity-mail.md.
#pragma once

#include <map>
#include <string>

#include "entity/objects/component_state.hpp"
#include "entity/properties/properties.hpp"

namespace starbus::nodes::entities {

/// What is saved of an Inbox, with the effects of its mail.
struct InboxState : entity::Struct<InboxState> {
  entity::Field<std::string> box{this, "box"};              // the channel that the numbers are of
  entity::Field<std::uint64_t> cursor{this, "cursor"};      // the latest message that is done with
  entity::Field<std::uint64_t> failing{this, "failing"};    // the message that its handler refuses
  entity::Field<std::uint32_t> failures{this, "failures"};  // of that
  /// Messages that are done with and not yet among the dead letters, with the reason.
  entity::Map<std::uint64_t, std::string> aside{this, "aside"};
  /// A cursor that a store is known to have: up to it the mailbox may erase. Travels, is not saved.
  entity::Field<std::uint64_t, entity::server_only> kept{this, "kept"};
};

class Inbox final : public entity::ComponentOf<Inbox> {
 public:
  using State = InboxState;
  /// Clients do not see it.
  static constexpr auto kStateFlags = entity::Flags::save;
  explicit Inbox(const entity::ComponentKey& key) : ComponentOf(key) {}

  /// The number of the latest message that was handled, or put aside.
  std::uint64_t cursor() const { return state().cursor; }
  /// How often the handler of the next message has failed.
  std::uint32_t failures() const { return state().failures; }
  /// Messages that wait to be among the dead letters.
  const std::map<std::uint64_t, std::string>& aside() const { return state().aside.get(); }

  // --- for the EntityHost ---

  /// The mailbox of this channel is read. A cursor of another channel's does not count for it.
  void read_from(const std::string& channel);
  /// Where to open the mailbox: nothing that is needed again has been acknowledged by that.
  std::uint64_t open_after() const;
  std::uint64_t kept() const { return state().kept; }
  /// A save with this cursor is stored.
  void keep(std::uint64_t cursor);
  /// The message is handled: called before its handler, so that a save within that has both.
  void advance(std::uint64_t number) { state().cursor = number; }
  /// Its handler has failed: the cursor is `before` again. Returns how often by now.
  std::uint32_t fail(std::uint64_t number, std::uint64_t before);
  /// No failures of an earlier message count any more.
  void clear_failures();
  /// It is done with, and goes to the dead letters once a save has that.
  void put_aside(std::uint64_t number, std::string reason);
  /// It is among the dead letters. `upto`: all up to it.
  void forget_aside(std::uint64_t upto);

 private:
  ~Inbox() override = default;
  entity::EntityResult<> on_activate() override;
};

}  // namespace starbus::nodes::entities
