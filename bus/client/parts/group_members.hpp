/// Announcements: multicasts to the members of a group, as a watch of `group/x#` shows them. The
/// list of members is kept until the watch changes, without those that WhenFull::drop has given up.
/// One thread.
#pragma once

#include <array>
#include <map>
#include <string>

#include "bus/client/parts/multicast_sender.hpp"
#include "bus/client/parts/prefix_watchers.hpp"

namespace starbus::bus {

class GroupMembers {
 public:
  GroupMembers(BusContext& context, PrefixWatchers& watchers, MessageSender& sender,
               MulticastSender& multicasts)
      : context_(context), watchers_(watchers), sender_(sender), multicasts_(multicasts) {}

  /// See Bus::announce. `done` may be null: then failures go to on_undelivered.
  Result<> announce(std::string_view group, ByteView body, const SendOptions& options,
                    const Done<GroupOutcome>& done);
  /// The members to which an announcement goes now; null if the watch of `prefix` shows none. Valid
  /// until the loop goes on.
  const MulticastSender::Receivers* members(const std::string& prefix);
  /// The rows of a watched prefix have changed.
  void on_update(const std::string& prefix);
  /// The watch of this prefix has ended.
  void on_given_up(const std::string& prefix) { groups_.erase(prefix); }

 private:
  struct Group {
    MulticastSender::Receivers members;
    bool listed = false;  // `members` is as the watch shows it
    // Members that had no room for the latest announcement of the lane, under WhenFull::drop.
    std::array<std::map<std::string, Time>, kLanes> full_since;
    std::map<std::string, Lineage> given_up;  // by name, until the lineage is another
  };
  void list(Group& group, const RowSet& rows);
  Result<> announce_now(const std::string& prefix, ByteView body, const SendOptions& options,
                        const Done<GroupOutcome>& done);
  void announce_later(const std::string& prefix, ByteView body, const SendOptions& options,
                      const Done<GroupOutcome>& done, const Result<>& ready);
  void note_full(const std::string& prefix, const FullReceivers& full, Lane lane);

  BusContext& context_;
  PrefixWatchers& watchers_;
  MessageSender& sender_;
  MulticastSender& multicasts_;
  std::map<std::string, Group> groups_;  // by prefix
};

}  // namespace starbus::bus
