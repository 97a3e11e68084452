/// Announcements: multicasts to the members of a group, as a watch of `group/x#` shows them. The
/// list of members is kept until the watch changes. One thread.
#pragma once

#include <map>
#include <string>

#include "bus/client/parts/message_sender.hpp"
#include "bus/client/parts/prefix_watchers.hpp"

namespace starbus::bus {

class GroupMembers {
 public:
  GroupMembers(BusContext& context, PrefixWatchers& watchers, MessageSender& sender)
      : context_(context), watchers_(watchers), sender_(sender) {}

  /// See Bus::announce.
  Result<> announce(std::string_view group, ByteView body, const SendOptions& options);
  /// The rows of a watched prefix have changed.
  void on_update(const std::string& prefix) { members_.erase(prefix); }

 private:
  struct Members {
    std::vector<Name> names;  // the recipients refer to these
    std::vector<Recipient> recipients;
  };
  Members list(const RowSet& rows);
  Result<> announce_now(const std::string& prefix, ByteView body, const SendOptions& options);

  BusContext& context_;
  PrefixWatchers& watchers_;
  MessageSender& sender_;
  std::map<std::string, Members> members_;  // by prefix
};

}  // namespace starbus::bus
