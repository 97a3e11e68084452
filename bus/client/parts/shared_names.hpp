/// Shared names: picks one instance of `service/x` from a watch of `service/x#`, and sends there.
///
/// Rendezvous hashing by the caller's key, or by this process. The choice stays while something is
/// unacknowledged there, so that the order holds. Remembers some kStickyKept choices. One thread.
#pragma once

#include <map>
#include <optional>

#include "bus/client/parts/message_sender.hpp"
#include "bus/client/parts/pending_calls.hpp"
#include "bus/client/parts/prefix_watchers.hpp"

namespace starbus::bus {

class SharedNames {
 public:
  SharedNames(BusContext& context, PrefixWatchers& watchers, MessageSender& sender,
              PendingCalls& calls)
      : context_(context), watchers_(watchers), sender_(sender), calls_(calls) {}

  /// Waits for the first snapshot of the instances. no_owner if there are none.
  Result<> send(const Name& to, ByteView body, const SendOptions& options, Done<> done);
  void call(const Name& to, ByteView body, std::uint64_t key, PendingCalls::Id id,
            const Trace& trace);

  struct Instance {
    Name name;
    Lineage lineage;
  };
  /// The instance for this key; nullopt if the watch shows none.
  std::optional<Instance> choose(const std::string& shared, std::uint64_t key, Lane lane);
  /// Forgets choices that were not used for long.
  void prune();

 private:
  struct Choice {
    std::string instance;
    std::uint64_t used = 0;
  };
  std::optional<Instance> best_for(const RowSet& rows, std::uint64_t key);
  void send_later(const Name& to, const Bytes& body, const SendOptions& options,
                  const Done<>& done);

  BusContext& context_;
  PrefixWatchers& watchers_;
  MessageSender& sender_;
  PendingCalls& calls_;
  std::map<std::pair<std::string, std::uint64_t>, Choice> choices_;  // by shared name and key
  std::uint64_t uses_ = 0;
};

}  // namespace starbus::bus
