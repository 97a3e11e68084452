/// The mailbox of one entity that lives here: reads it, hands each message to its handler, and lets
/// the store erase what a save has.
///
/// One message at a time, in order, each in a turn of the loop of its own. A message that its
/// handler refuses is tried again kMailAttempts times, which its entity counts; then it is put
/// aside, and later ones go on. Acknowledgements follow Inbox::kept(), so they follow saves.
///
/// Belongs to the loop's thread; owned by EntityMail, whose parts outlive it; callbacks of the bus
/// hold it weakly. Failures are logged and tried again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bus/client/mailbox.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/hosting/entity_saver.hpp"
#include "nodes/hosting/mail/entity_mail.hpp"
#include "nodes/hosting/mail/handle_mail.hpp"
#include "nodes/hosting/mail/inbox.hpp"

namespace starbus::nodes::entities {

class EntityMailbox final : public std::enable_shared_from_this<EntityMailbox> {
 public:
  struct Parts {
    HostContext& context;
    EntitySaver& saver;
    MailCounters& counters;
    entity::Time retry;  // the first pause
  };
  /// `table` outlives it.
  EntityMailbox(const Parts& parts, entity::OnlineId id, std::string name, const MailTable& table);
  EntityMailbox(const EntityMailbox&) = delete;
  EntityMailbox& operator=(const EntityMailbox&) = delete;

  /// Asks the bus for the mailbox, from the saved cursor on; again after a failure, by itself.
  void open();
  /// Its entity ends: nothing is handled any more. The mailbox stays open for the last settlement.
  void stop();
  /// A save with this cursor is stored.
  void stored(std::uint64_t cursor);
  /// The last state of its entity is encoded. Call it while the entity exists.
  void note_last(const Inbox& inbox);
  /// And stored: settles all of it, and calls `then` once, at the latest after kMailAckWait.
  void settle_last(std::function<void()> then);

 private:
  struct Last {
    std::uint64_t cursor = 0;
    std::map<std::uint64_t, std::string> aside{};
    std::function<void()> then{};  // set: it is stored
  };
  /// Null: it ends, or is frozen.
  entity::Entity* find() const;
  Inbox* inbox() const;

  void opened(bus::Result<bus::Mailbox> box);
  void open_later(const bus::Error& why);
  void next();
  void came(bus::Result<bus::Mail> mail);
  void work();
  void handle(entity::Entity& entity, Inbox& inbox);
  void failed(entity::Entity& entity, Inbox& inbox, const std::string& why, std::uint64_t before);
  void put_aside(entity::Entity& entity, Inbox& inbox, std::string why);
  void done_with_it();
  void save_before_next();
  void settle();
  void settled(std::uint64_t upto, bool rejected, const bus::Result<>& result);
  void finish_last();
  entity::Time pause(std::uint32_t failures) const;
  void after(entity::Time delay, void (EntityMailbox::*what)());

  const Parts parts_;
  const entity::OnlineId id_;
  const std::string name_;
  const MailTable& table_;
  bus::Mailbox box_;
  bool open_ = false;
  bool stopped_ = false;
  bool settling_ = false;            // an acknowledgement is under way
  bool warned_ = false;              // that the mailbox cannot be opened
  bus::Mail mail_;                   // that is being handled
  std::uint64_t acked_ = 0;          // settled up to here, with the store
  std::uint64_t careful_until_ = 0;  // messages up to here are saved one by one
  std::uint32_t failures_ = 0;       // to open it, in a row
  Last last_;
  entity::TimerOwner alarms_;
};

}  // namespace starbus::nodes::entities
