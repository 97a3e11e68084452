/// The watches of a Bus: any number of watchers of the user per prefix, and internal ones for
/// shared names, groups, hosts and stores. An internal watch that no operation uses for kWatchIdle
/// is given up, or earlier to make place for another; those that the user holds never are.
/// Operations that need a snapshot wait here until it is complete, at most kChannelWindow bytes of
/// messages per prefix; a lost lease ends them. One thread.
#pragma once

#include <map>

#include "bus/client/parts/bus_context.hpp"
#include "bus/client/watch_handle.hpp"

namespace starbus::bus {

class PrefixWatchers {
 public:
  explicit PrefixWatchers(BusContext& context) : context_(context) {}

  /// See Bus::watch.
  Result<WatchHandle> watch(std::string prefix, std::function<void(const WatchUpdate&)> on_update,
                            std::function<void(const Error&)> on_error);
  void end(const std::string& prefix, std::uint64_t id);

  /// Watches the prefix for this library, until it is unused. Idempotent; each call is a use.
  /// would_block while snapshots are awaited for as many prefixes as may be watched.
  Result<> use(const std::string& prefix);
  /// The same for as long as the bus lives.
  Result<> keep(const std::string& prefix);
  /// What waits for a snapshot: gets ok when it is complete, or refused, or the bus closes;
  /// otherwise lease_lost, and then it must not begin.
  using Waiting = std::function<void(const Result<>& ready)>;
  /// Calls `action` when the snapshot of a used or kept prefix is complete: at once if it is.
  void when_complete(const std::string& prefix, Waiting action);
  /// Uses the prefix and keeps a message of so many bytes, until its snapshot is complete.
  /// would_block beyond a window's worth.
  Result<> hold(const std::string& prefix, std::size_t bytes, Waiting action);
  /// The snapshot is not complete, or earlier messages still wait for it. Counts as a use.
  bool must_hold(const std::string& prefix);
  /// `hold` would take a message, and at least half of its window is free.
  bool has_room(const std::string& prefix) const;
  /// The rows of a complete snapshot; null otherwise.
  const RowSet* complete_rows(const std::string& prefix) const;
  std::size_t held_messages() const { return held_messages_; }

  /// News from busd about a watched prefix; `shut` ends all watches.
  void on_update(const std::string& prefix, const std::vector<WatchRow>& changes, bool complete);
  void on_refused(const std::string& prefix, const Error& reason);
  void shut();
  /// Ends what waits: it was asked by a life of the process that is over. The watches stay.
  void lease_lost(const Error& reason);

  /// Gives up the internal watches that are unused. Call often.
  void tick(Time now);

  /// Called after a held message for the members of the prefix was sent.
  std::function<void(const std::string& prefix)> after_release{};
  /// Called after an internal watch was given up: its rows are gone.
  std::function<void(const std::string& prefix)> on_given_up{};

 private:
  struct Watcher {
    std::function<void(const WatchUpdate&)> on_update;
    std::function<void(const Error&)> on_error;
  };
  struct Watched {
    std::map<std::uint64_t, Watcher> watchers;
    std::vector<Waiting> when_complete;
    std::size_t held_bytes = 0;
    bool internal = false;  // the library uses it, since `used` at the latest
    bool kept = false;
    Time used{};

    bool may_be_given_up() const {
      return internal && !kept && watchers.empty() && when_complete.empty();
    }
  };

  Result<> begin(const std::string& prefix);
  bool give_up_longest_unused();
  void give_up(std::map<std::string, Watched>::iterator found);
  void tell_present_rows(const std::string& prefix, std::uint64_t id);
  void tell(const std::string& prefix, std::uint64_t id, const WatchUpdate& update);
  void release(const std::string& prefix, std::size_t bytes, const Result<>& ready,
               const Waiting& action);

  BusContext& context_;
  std::map<std::string, Watched> watched_;
  std::uint64_t next_id_ = 1;
  std::size_t held_messages_ = 0;
  Time now_ = io::boot_now();  // of the latest tick
  Time looked_{};              // for unused watches
};

}  // namespace starbus::bus
