/// Shared names: picks one instance of `service/x` from a watch of `service/x#`, and sends there.
///
/// Rendezvous hashing by the caller's key, or by this process: the instances are ranked for a key
/// when they have changed, and not per message. The choice stays while something is unacknowledged
/// there, so that the order holds. Remembers some kStickyKept choices. One thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
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

  /// Waits for the first snapshot of the instances. no_owner if there are none; lease_lost if the
  /// lease ends before.
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
  /// The rows of a watched prefix have changed.
  void on_update(const std::string& prefix);
  /// The watch of this prefix has ended: choices with something unacknowledged stay.
  void on_given_up(const std::string& prefix);
  /// How often an instance was weighed for a key.
  std::uint64_t weighed() const { return weighed_; }

 private:
  struct Choice {
    std::optional<Instance> instance{};
    std::uint64_t version = 0;  // of the set in which it ranked first
    std::uint64_t used = 0;
  };
  using Key = std::pair<std::uint64_t, Lane>;
  struct Set {
    std::vector<Instance> instances{};
    std::uint64_t version = 0;  // of `instances`; 0: they have changed
    boost::unordered_flat_map<Key, Choice, boost::hash<Key>> choices{};
  };
  void list(Set& set, const RowSet& rows);
  const Instance* best_for(const Set& set, std::uint64_t key);
  void send_later(const Name& to, const Bytes& body, const SendOptions& options, const Done<>& done,
                  const Result<>& ready);

  BusContext& context_;
  PrefixWatchers& watchers_;
  MessageSender& sender_;
  PendingCalls& calls_;
  std::map<std::string, Set, std::less<>> sets_;  // by prefix
  std::uint64_t uses_ = 0;
  std::uint64_t versions_ = 0;
  std::uint64_t weighed_ = 0;
};

}  // namespace starbus::bus
