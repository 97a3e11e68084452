/// What the links of a host's entities have to say to clients: to gates over the bus, in bundles
/// (entity/client/home_lines.hpp); to accounts; and what requests of clients set off here.
///
/// Belongs to the loop's thread; the context and the sync outlive it. Parts wait in their links
/// until the bus takes them; words to accounts that the bus refuses wait here, up to kAccountWords.
/// A gate whose process owns no name under gate/ for kGateUnseen is dead to its links.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "entity/client/home_lines.hpp"
#include "entity/objects/client.hpp"
#include "nodes/hosting/entity_sync.hpp"
#include "nodes/hosting/host_context.hpp"

namespace starbus::nodes::entities {

struct ClientCounters {
  std::uint64_t requests = 0;       // of clients that have begun here
  std::uint64_t news = 0;           // changes of properties that were said
  std::uint64_t words_dropped = 0;  // to accounts: kAccountWords
  std::uint64_t too_large = 0;      // snapshots beyond kPartBytes: clients got none
  std::uint64_t too_slow = 0;       // sessions that ended at kLinkBytes or kLinkParts
};

class ClientLinks final : public entity::ClientPort, private entity::sessions::Carrier {
 public:
  ClientLinks(HostContext& context, EntitySync& sync) : context_(context), sync_(sync) {}
  ClientLinks(const ClientLinks&) = delete;
  ClientLinks& operator=(const ClientLinks&) = delete;

  // ClientPort
  void carry_out(entity::Entity& entity, entity::sessions::Effects& effects) override;
  std::int64_t now_ms() const override { return now().count(); }
  std::uint64_t epoch_of(std::string_view channel) const override;
  bus::Process self() const override;

  /// The entity has arrived, and owns its name under this epoch.
  void arrived(entity::Entity& entity, bus::Epoch epoch);
  /// Its move was given up. `rolled_back`: the target may have run it.
  void goes_on(entity::Entity& entity, bus::Epoch epoch, bool rolled_back);
  /// It ends here, and is no more. Says the last word of one that does not live on elsewhere.
  void ending(entity::Entity& entity, entity::EndReason reason);
  void forget(std::uint64_t id);
  /// Says changes of properties to the client that plays it, or leaves them until there is credit.
  /// False: no client plays it.
  bool tell(entity::Entity& entity, entity::Root& properties);

  std::size_t size() const { return links_.size(); }
  const ClientCounters& counters() const { return counters_; }
  const entity::sessions::LineCounters& said() const { return lines_.counters(); }
  /// What has become of droppable updates, here.
  entity::sessions::DropCounters droppables() const;

 private:
  struct Row {
    std::shared_ptr<entity::sessions::ClientLink> link;
    int unseen = 0;  // passes in which its gate was not there
  };
  struct AccountWord {
    std::string channel;
    std::string word;
  };
  // Carrier
  bool carry(const entity::sessions::GateId& to, const bus::Bytes& bundle,
             std::uint64_t ticket) override;
  bus::Bytes properties(entity::sessions::ClientLink& link) override;
  void news_due(entity::sessions::ClientLink& link) override;
  entity::sessions::LinkTime now() const override;

  entity::Entity* find(std::uint64_t id) const;
  void begin(entity::Entity& entity, const entity::sessions::Effects::Begin& request);
  void answered(std::uint64_t id, std::uint64_t login, std::uint64_t u, bus::ByteView answer);
  void keep(entity::Entity& entity);
  void pass();
  void tell_accounts();
  void flush_soon();
  void flush();

  HostContext& context_;
  EntitySync& sync_;
  std::unordered_map<std::uint64_t, Row> links_;                                     // by online id
  std::unordered_map<const entity::sessions::ClientLink*, std::uint64_t> entities_;  // of these
  entity::sessions::HomeLines lines_;
  std::deque<AccountWord> words_;
  bool scheduled_ = false;
  int at_once_ = 0;  // replies that went before the scheduled flush
  bool passing_ = false;
  entity::TimerOwner timer_;
  ClientCounters counters_;
  entity::sessions::DropCounters droppables_;  // of links that are here no more
};

}  // namespace starbus::nodes::entities
