/// The only writer of the directory's owners: grants, moves and deaths change a name here, and the
/// watchers and the records that are held for the name follow.
///
/// Part of RootRouter: same thread; owns nothing. Nothing here fails.
#pragma once

#include <functional>
#include <string_view>

#include "bus/core/routers/root/message_routes.hpp"
#include "bus/core/routers/root/root_state.hpp"
#include "bus/core/routers/root/watch_publisher.hpp"

namespace starbus::bus {

class Ownership {
 public:
  Ownership(RootState& root, WatchPublisher& watches, MessageRoutes& routes)
      : root_(root), watches_(watches), routes_(routes) {}

  /// Whether a process of this host may get the name: denied or too_many_names, by the rights of
  /// the host.
  static Result<> check_rights(const RootHost& host, std::string_view name);
  /// Whether the host may have one more name, this one: see WatchPublisher::room_for.
  Result<> room_for(std::string_view name, const RootProcess& owner) {
    return watches_.room_for(name, static_cast<const HostEntry&>(owner.host));
  }
  /// A name that has no owner; unconfirmed. `number` is the bind attempt, 0 if there is none.
  Directory::Entry& add(const ChannelId& id, std::string_view name, RootProcess& owner, Epoch epoch,
                        Lineage lineage, std::uint64_t number = 0);
  /// Gives the name to another owner, or to the same one under a new epoch; unconfirmed.
  void give(Directory::Entry& entry, RootProcess& owner, Epoch epoch, Lineage lineage);
  /// The name is free.
  void drop(Directory::Entry& entry);
  /// The name falls back to the frozen copy of the previous owner, if there is one, or is free.
  void owner_died(Directory::Entry& entry);
  /// Frees all names of the process and forgets it; the reference ends.
  void process_died(RootProcess& process);

  /// Enters the move of a name, in the place of an earlier one.
  void set_move(Directory::Entry& entry, RootMove move);
  /// Forgets the move if its owner has confirmed and no frozen copy is left: no process will ask
  /// about it any more.
  void settle_move(const Directory::Entry& entry);
  /// Tells the holder of the frozen copy to free it, once the owner has confirmed.
  void tell_moved(const Directory::Entry& entry);
  using SourceGone = std::function<bool(const ChannelId&, const RootMove::Source&)>;
  void forget_sources(const SourceGone& gone);

 private:
  RootState& root_;
  WatchPublisher& watches_;
  MessageRoutes& routes_;
};

}  // namespace starbus::bus
