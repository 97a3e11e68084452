/// Names that move, as busroot knows them; apart from the directory, because few move at a time.
///
/// An entry exists while a process may still ask about a move of the name: it is allowed, or
/// granted and not confirmed, or its source has not freed its copy. `Directory::Entry::moving`
/// mirrors `moving` for the routing path. Plain data, one thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>

#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

/// The move of one name.
struct RootMove {
  /// The frozen copy that the previous owner has not freed.
  struct Source {
    Process process;
    Epoch epoch;
    Lineage lineage;
    Ticket ticket;
  };

  Ticket moving{};   // may attach; empty: no move
  Ticket granted{};  // the attach or reclaim that the present epoch was granted to
  std::optional<Source> source{};
  bool remembered = false;  // this busroot allowed the move: it knows every attach
  bool rollback = false;    // the copy that may have run is dead

  bool idle() const { return !moving && !granted && !source && !rollback; }
};

using RootMoves = boost::unordered_flat_map<ChannelId, RootMove>;

}  // namespace starbus::bus
