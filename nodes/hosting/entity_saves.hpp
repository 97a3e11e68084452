/// Saves under way to the store: in order for each entity, repeated while that may help, bounded.
///
///   saves.add(std::move(saved), entity.label(), [](bus::Result<> kept) { ... });
///
/// Invariants: the store has at most one save of an entity (type and persistent id) at a time. Of
/// the saves that wait after it only the newest is stored, and its result is the result of all.
/// Each save ends, stored or with an error, at the latest kSaveDeadline after the store got it
/// first. If the save before has just timed out, the time counts from when the next one was added,
/// so that a drain does not wait for both.
///
/// Belongs to the loop's thread. After its end it calls the store no more, and ignores its answers.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
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

class EntitySaves {
 public:
  EntitySaves(entity::TimerWheel& timers, Store store);
  EntitySaves(const EntitySaves&) = delete;
  EntitySaves& operator=(const EntitySaves&) = delete;

  /// Hands the state to the store, after earlier ones of the same entity. `done` is called once,
  /// with the end of the last attempt. `label` is for logs.
  void add(SavedEntity saved, std::string label, Done done);

  /// False if callers should wait before they add more.
  bool room() const { return entries_.size() < kMaxSaves; }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  /// True if a save of this entity is under way.
  bool has(const std::string& type, const std::string& persistent_id) const;
  /// For people: "2 to be saved: guild roses, guild lilies"; empty if there are none.
  std::string waits_for() const;
  const SaveCounters& counters() const { return counters_; }

 private:
  struct Next {
    SavedEntity saved;
    std::vector<Done> done;
    entity::Time came{};
  };
  struct Entry {
    std::string label;
    Next present;
    std::unique_ptr<Next> next;  // after it
    std::uint64_t place = 0;     // among all that ever came
    std::uint64_t attempt = 0;   // 0: it waits for its turn
    entity::Time patience = kSaveDeadline;
    entity::TimerId deadline{};
    entity::TimerId repeat{};
  };
  using Entries = std::map<std::string, Entry>;  // by type and persistent id

  static std::string key_of(const std::string& type, const std::string& persistent_id);
  void begin_more();
  void attempt(const std::string& key, Entry& entry);
  void answered(const std::string& key, std::uint64_t attempt, const bus::Result<>& result);
  void end(std::string key, const bus::Result<>& result);

  entity::TimerWheel& timers_;
  const Store store_;
  Entries entries_;
  std::deque<std::string> turns_;  // of those that were not begun
  std::size_t under_way_ = 0;
  std::uint64_t attempts_ = 0;
  std::uint64_t places_ = 0;
  bool beginning_ = false;
  SaveCounters counters_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner alarms_;
  LoopThread thread_;
};

}  // namespace starbus::nodes::entities
