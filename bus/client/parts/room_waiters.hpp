/// Operations that wait for room: each completes once, when a message with its options would be
/// taken. A waiting one is listed under the streams without room that it waits for, and is looked
/// at again when one of them has room, when the members of its set have changed, or when the window
/// of the process has room. One thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <set>

#include "bus/client/parts/group_members.hpp"
#include "bus/client/parts/shared_names.hpp"

namespace starbus::bus {

class RoomWaiters {
 public:
  RoomWaiters(BusContext& context, PrefixWatchers& watchers, SharedNames& shared,
              GroupMembers& groups)
      : context_(context), watchers_(watchers), shared_(shared), groups_(groups) {}

  /// See Bus::room.
  void wait(const Name& to, const SendOptions& options, Done<> done);
  /// A window has shrunk.
  void on_room();
  /// The members of the set `prefix` have changed, or messages to them wait no longer.
  void on_set(const std::string& prefix);
  /// Completes everything with `reason`.
  void shut(const Error& reason);

 private:
  using Id = std::uint64_t;
  struct Room {
    Name to;
    std::string set;  // the prefix of its members; empty for an owned channel
    SendOptions options;
    Done<> done;
    std::vector<ChannelId> blockers{};  // listed in by_stream_
  };
  /// Whether a message would be taken; if not, the streams that block it, none if something else
  /// does.
  bool has_room(const Room& room, std::vector<ChannelId>& blockers);
  bool group_has_room(const Room& room, std::vector<ChannelId>& blockers);
  void look_at(Id id);
  void unlist(Id id, Room& room);

  BusContext& context_;
  PrefixWatchers& watchers_;
  SharedNames& shared_;
  GroupMembers& groups_;
  Id next_id_ = 1;
  std::map<Id, Room> rooms_;
  boost::unordered_flat_map<StreamTable::Key, std::set<Id>, boost::hash<StreamTable::Key>>
      by_stream_;
  std::map<std::string, std::set<Id>> by_set_;
  std::set<Id> by_process_;  // wait for the window of the process
  std::set<Id> by_place_;    // wait for a place among messages that wait for a snapshot
};

}  // namespace starbus::bus
