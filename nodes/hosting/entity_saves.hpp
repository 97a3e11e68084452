/// Saves under way to the store: in order for each entity, repeated while that may help, bounded.
///
///   saves.add(std::move(saved), entity.label(), [](bus::Result<> kept) { ... });
///   saves.add_last(std::move(saved), entity.label(), [](bus::Result<> kept) { ... });   // it
///   ended
///
/// Invariants: the store has at most one save of an entity (type and persistent id) at a time. Of
/// the saves that wait after it only the newest is stored, and its result is the result of all.
///
/// A save of an entity that lives ends, stored or with an error, at the latest kSaveDeadline after
/// the store got it first: the entity has its state. If the save before has just timed out, the
/// time counts from when the next one was added.
///
/// The last save of an entity that has ended is its only copy. It is tried again, with back-off,
/// until it is stored, or refused for a reason that does not pass: it has no deadline.
///
/// While the timer wheel is full the store gets nothing, since no attempt would have a deadline:
/// each save waits, with back-off, and one of an entity that lives ends as `too_many_timers` when
/// its time is over.
///
/// Belongs to the loop's thread. After its end it calls the store no more, and ignores its answers.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/hosting/limits.hpp"
#include "nodes/hosting/saved_entity.hpp"

namespace starbus::nodes::entities {

struct SaveCounters {
  std::uint64_t kept = 0;
  std::uint64_t failed = 0;    // for good
  std::uint64_t repeated = 0;  // attempts that were not the first
};

/// A last save that is not stored yet, for people.
struct UnsavedEnd {
  std::string label;
  std::string persistent_id;
  std::chrono::milliseconds age{};  // since the entity ended
  std::uint64_t failures = 0;       // attempts that failed
  std::string reason;               // of the latest one; empty if there is none
};

class EntitySaves {
 public:
  EntitySaves(entity::TimerWheel& timers, Store store);
  EntitySaves(const EntitySaves&) = delete;
  EntitySaves& operator=(const EntitySaves&) = delete;

  /// Hands the state to the store, after earlier ones of the same entity. `done` is called once,
  /// with the end of the last attempt. `label` is for logs.
  void add(SavedEntity saved, std::string label, Done done);
  /// The same for the last state of an entity that has ended.
  void add_last(SavedEntity saved, std::string label, Done done);

  /// False if callers should wait before they add more saves of entities that live.
  bool room() const { return entries_.size() - ended_ < kMaxSaves; }
  /// True if so many entities have ended and are not stored that no more should be made.
  bool crowded() const { return ended_ >= kMaxUnsavedEnds; }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  /// Entities that have ended and are not stored.
  std::size_t ended() const { return ended_; }
  /// True if a save of this entity is under way.
  bool has(const std::string& type, const std::string& persistent_id) const;
  /// For people: "2 to be saved: guild roses, guild lilies"; empty if there are none.
  std::string waits_for() const;
  /// The `most` oldest saves of entities that have ended, the oldest first.
  std::vector<UnsavedEnd> unsaved_ends(std::size_t most) const;
  const SaveCounters& counters() const { return counters_; }

 private:
  struct Next {
    SavedEntity saved;
    std::vector<Done> done;
    entity::Time came{};
    bool last = false;
  };
  struct Entry {
    std::string label;
    Next present;
    std::unique_ptr<Next> next;  // after it
    std::uint64_t place = 0;     // among all that ever came
    std::uint64_t attempt = 0;   // 0: it waits for its turn, or for its next attempt
    std::uint64_t lapsed = 0;    // the attempt before, if the store has not answered it
    std::uint64_t failures = 0;
    std::string reason;  // of the latest failure
    bool queued = false;
    bool under_way = false;
    std::optional<entity::Time> begun;  // its first attempt
    entity::Time patience = kSaveDeadline;
    entity::TimerId deadline{};
    entity::TimerId repeat{};

    bool ended() const { return present.last || (next && next->last); }
  };
  using Entries = std::map<std::string, Entry>;  // by type and persistent id

  static std::string key_of(const std::string& type, const std::string& persistent_id);
  void add_to(SavedEntity saved, std::string label, Done done, bool last);
  void queue(const std::string& key, Entry& entry);
  void begin_more();
  void begin(const std::string& key, Entry& entry);
  void put_off(const std::string& key, Entry& entry, const bus::Error& why);
  void attempt(const std::string& key, Entry& entry);
  void answered(const std::string& key, std::uint64_t attempt, const bus::Result<>& result);
  void repeat(const std::string& key, Entry& entry, const bus::Error& why);
  void out_of_time(const std::string& key);
  void back_off(const std::string& key, Entry& entry, const bus::Error& why, std::uint64_t lapsed);
  void warn_unsaved(const Entry& entry);
  void leave_store(Entry& entry);
  void look_for_due();
  void queue_due();
  void end(std::string key, const bus::Result<>& result);
  std::vector<const Entry*> oldest(std::size_t most, bool ended_only) const;

  entity::TimerWheel& timers_;
  const Store store_;
  Entries entries_;
  std::deque<std::string> turns_;  // of those that are queued; may name some that are not any more
  std::multimap<entity::Time, std::string> later_;  // next attempts after a back-off; likewise
  std::size_t ended_ = 0;
  std::size_t warned_ = 0;  // of those, since there were none
  std::size_t under_way_ = 0;
  std::uint64_t attempts_ = 0;
  std::uint64_t places_ = 0;
  bool beginning_ = false;
  bool looking_ = false;  // the timer of later_ is set
  SaveCounters counters_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner alarms_;
  LoopThread thread_;
};

}  // namespace starbus::nodes::entities
