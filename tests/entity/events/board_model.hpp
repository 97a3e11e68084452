/// What boards and their listeners should be, for board_property_test.cpp.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "entity/events/board_listener.hpp"

namespace starbus::entity::model {

/// A board, as it should be.
struct Cell {
  OnlineId place;
  std::uint64_t number;
  std::unique_ptr<EventBoard> board;        // null: ended
  std::set<int> listed = {};                // keys that it ever had a list for
  std::vector<std::uint64_t> running = {};  // numbers, the outermost first

  std::uint64_t told() const { return running.empty() ? number : running.front() - 1; }
};

/// A listener, as it should be. Who moves is another one with the same history.
struct Subject {
  struct Callback {
    int label;
    int key;
    int priority;
    KeyedListenerId id;
  };
  std::unique_ptr<BoardListener> listener = std::make_unique<BoardListener>();
  std::shared_ptr<std::set<std::pair<OnlineId, std::uint64_t>>> history =
      std::make_shared<std::set<std::pair<OnlineId, std::uint64_t>>>();
  std::vector<Callback> callbacks = {};  // in the order of adding
  std::shared_ptr<Cell> at = {};
  std::map<int, int> entries = {};  // key to a serial that grows
  std::map<OnlineId, std::uint64_t> seen = {};
  std::uint64_t floor = 0;
  std::uint64_t heard = 0;
  std::size_t depth = 0;

  std::uint64_t seen_here() const { return std::max({floor, heard, at->told()}); }
  auto of_key(int key) const { return std::ranges::count(callbacks, key, &Callback::key); }
};
using SubjectPointer = std::shared_ptr<Subject>;

/// One announcement that runs.
struct Running {
  std::shared_ptr<Cell> cell;
  std::uint64_t number;
  int key;
  std::vector<std::pair<int, SubjectPointer>> entries;  // those that are left, the next one last
  SubjectPointer turn = {};
  std::vector<int> labels = {};  // of its turn, that are left, the next one last
  std::size_t told = 0;
};

}  // namespace starbus::entity::model
