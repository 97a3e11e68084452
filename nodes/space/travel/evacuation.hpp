/// Sends the players of a node that drains to spaces of other nodes: in slices, a bounded number at
/// once, until all have left, cannot, or the time is over.
///
/// Belongs to the loop's thread and to its Travels, which outlives it; ends with it. Each player is
/// tried in the places of WhereTo, one after the other. Those who are left are named in the log,
/// and end with their spaces.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "entity/timers/timer_wheel.hpp"
#include "nodes/space/travel/travels.hpp"

namespace starbus::nodes::space {

class Evacuation {
 public:
  using Over = std::function<void()>;

  /// `over` is called once, in a later turn of the loop than begin().
  Evacuation(Travels& travels, Over over) : travels_(travels), over_(std::move(over)) {}
  Evacuation(const Evacuation&) = delete;
  Evacuation& operator=(const Evacuation&) = delete;

  void begin();
  /// For /spaces.
  nlohmann::json shown() const;

 private:
  struct Player {
    bool asked = false;      // WhereTo has said its ways
    std::vector<Wish> ways;  // that are left
    Wish way;                // the latest one
    Error why{};             // the latest way has ended so; ok: none has
  };
  void look();
  void find_players();
  void found(const entity::Entity& entity);
  void ask_where_to(entity::OnlineId id);
  void try_next(entity::OnlineId id);
  void ended(entity::OnlineId id, const Result<Travelled>& end);
  void report() const;
  /// There is no other node: players end with their spaces, and are saved.
  void stay();
  void end();
  /// Those who are in a space now.
  std::size_t left() const;
  void name_those_left() const;

  Travels& travels_;
  Over over_;
  Time began_{};
  Time until_{};
  Time reported_{};
  std::map<entity::OnlineId, Player> players_;  // who are here
  std::deque<entity::OnlineId> waiting_;        // for their next way
  std::size_t under_way_ = 0;
  std::size_t moved_ = 0;
  bool ended_ = false;
  entity::TimerOwner alarm_;
};

}  // namespace starbus::nodes::space
