/// The mailboxes of the entities of a host. An entity whose class has mail methods and an Inbox
/// gets its mailbox opened when it owns a name, closed when it is frozen or ends, and opened again
/// where it goes on. Messages are acknowledged when a save that has them is stored.
///
/// Belongs to the loop's thread; the context and the saver outlive it. docs/guide/entity-mail.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/mail/mail_method.hpp"

namespace starbus::nodes::entities {

class EntityMailbox;
class EntitySaver;
class Inbox;
class Notices;

struct MailCounters {
  std::uint64_t handled = 0;
  std::uint64_t skipped = 0;     // came again, and had been handled
  std::uint64_t expired = 0;     // their time was over when the entity came to them
  std::uint64_t failed = 0;      // attempts that failed
  std::uint64_t put_aside = 0;   // for the dead letters
  std::uint64_t damaged = 0;     // the store could not read them any more
  std::uint64_t not_opened = 0;  // attempts to open a mailbox that failed
};

class EntityMail {
 public:
  /// `saves`: HostOptions::save is set; else no mailbox is opened. `retry`: see HostOptions.
  EntityMail(HostContext& context, EntitySaver& saver, bool saves, entity::Time retry)
      : context_(context), saver_(saver), saves_(saves), retry_(retry) {}
  EntityMail(const EntityMail&) = delete;
  EntityMail& operator=(const EntityMail&) = delete;

  /// `reads`: its class has an Inbox.
  void declare(const entity::TypeInfo& type, MailTable table, bool reads);
  /// Null: the type has no mail methods.
  const MailTable* table_of(const entity::TypeInfo& type) const;
  /// The first type that would read mail where nothing is saved; empty: none.
  const std::string& refused() const { return refused_; }

  // --- the life of an entity, by its online id ---

  /// It owns a name, or goes on after a move that failed.
  void owned(std::uint64_t id);
  void frozen(std::uint64_t id) { boxes_.erase(id); }
  /// It was destroyed: nothing more is handled.
  void ending(std::uint64_t id);
  /// It has ended, and no save follows.
  void forget(std::uint64_t id) { boxes_.erase(id); }

  // --- saves ---

  /// The cursor that a state has which is encoded now; 0: none.
  std::uint64_t encoded(entity::Entity& entity) const;
  void stored(std::uint64_t id, std::uint64_t cursor);
  /// The last state of an entity is encoded.
  void encoded_last(entity::Entity& entity);
  /// That is stored. Calls `then` when it is settled, at once or within kMailAckWait.
  void stored_last(std::uint64_t id, std::function<void()> then);
  /// That was refused for good.
  void lost_last(std::uint64_t id) { ended_.erase(id); }
  /// False: last settlements are under way.
  bool idle() const { return ended_.empty(); }

  std::size_t open() const { return boxes_.size(); }
  const MailCounters& counters() const { return counters_; }

 private:
  struct Type {
    MailTable table;
    bool reads = false;
  };
  void open(std::uint64_t id);

  HostContext& context_;
  EntitySaver& saver_;
  const bool saves_;
  const entity::Time retry_;
  std::string refused_;
  MailCounters counters_;
  std::unordered_map<const entity::TypeInfo*, Type> types_;
  std::unordered_map<std::uint64_t, std::shared_ptr<EntityMailbox>> boxes_;  // of the living
  std::unordered_map<std::uint64_t, std::shared_ptr<EntityMailbox>> ended_;  // being saved
};

}  // namespace starbus::nodes::entities
