/// An entity that is to enter in another process: asks the EntityHost there, or, for the least
/// loaded node, first the manager which one that is. Ends once, with the outcome or an error.
///
/// Entering is safe to repeat, since the name decides: if the chosen node is gone, or drains,
/// another one is chosen, kEntryTries in all. Belongs to the loop's thread; kept alive by its
/// calls, which end before the endpoint does.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/hosting/entering/entry_control.hpp"
#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {

/// Where an entity enters, and how: one of the two places. Views, which are copied before
/// EntityHost::enter_at returns.
struct EnterAt {
  std::string_view node = {};           // the process "HOST.NODE"
  std::string_view least_loaded = {};   // a role: the ready node of it that is least busy
  std::string_view persistent_id = {};  // empty: the name after its first '/'
  bool make = true;                     // false: not_found of db, if nothing of it is saved
  /// For all of it; at its end it is not known whether the entity enters.
  std::chrono::milliseconds deadline{kEntryWait};
};

class AskedEntry final : public std::enable_shared_from_this<AskedEntry> {
 public:
  AskedEntry(entity::rpc::Endpoint& endpoint, EntryRequest request, const EnterAt& where,
             Entries::Ended ended);
  /// The outcome's entity is null; `elsewhere` is the process that has it.
  void begin();

 private:
  void choose();
  void ask();
  void ended(const entity::rpc::Reply<EntryReply, bus::Error>& reply);
  std::chrono::milliseconds time_left() const;

  entity::rpc::Endpoint& endpoint_;
  const EntryRequest request_;
  const std::string role_;
  std::string process_;
  const entity::Time deadline_;
  Entries::Ended ended_;
  std::vector<std::string> tried_;
};

}  // namespace starbus::nodes::entities
