/// Which cells can be reached from each other: a label for each cell, equal within a component, so
/// that "there is no way" is known without a search. Moves go both ways, so a component is whatever
/// a flood from one of its cells fills.
///
/// Changes keep the labels right: moves that come join labels, and where moves go, floods from both
/// sides run in turns until they meet or one side is full, so that a door of a room costs no more
/// than the room. Owns its memory. Changes by one thread while no other one asks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nav/grid/cell.hpp"
#include "nav/grid/rules.hpp"

namespace starbus::nav::grid {

class Components {
 public:
  /// A cell whose moves have changed, by its index.
  struct Change {
    std::uint32_t cell;
    Mask before;  ///< moves
    Mask after;
    bool was;  ///< passable
    bool is;
  };

  /// Labels all cells. `passable` and `moves` by index.
  void label(const Layout& layout, std::span<const std::uint8_t> passable,
             std::span<const Mask> moves);
  /// Brings the labels up to date. `moves` are those after the changes.
  void change(std::span<const Change> changes, std::span<const std::uint8_t> passable,
              std::span<const Mask> moves);

  /// The name of a cell's component, by its index; 0 if it has none. A name holds until the next
  /// change.
  std::uint32_t of(std::uint32_t cell) const { return root(labels_[cell]); }
  /// Cells that floods have filled since the labels were made, for tests of what changes cost.
  std::uint64_t flooded() const { return flooded_; }

 private:
  struct Flood {
    std::uint32_t label = 0;             ///< the component that it may be cut off from
    std::uint32_t into = 0;              ///< the flood that it has met; itself if none
    std::vector<std::uint32_t> filled;   ///< cells that it has looked around from
    std::vector<std::uint32_t> pending;  ///< from next_ on
    std::size_t next = 0;
  };

  std::uint32_t root(std::uint32_t label) const {
    while (parents_[label] != label) label = parents_[label];
    return label;
  }
  std::uint32_t add_label();
  void join(std::uint32_t a, std::uint32_t b);
  void appear_and_vanish(std::span<const Change> changes);
  void split(std::vector<std::uint32_t> seeds, std::span<const Mask> moves);
  void split_one(std::span<const std::uint32_t> seeds, std::span<const Mask> moves);
  std::uint32_t leader(std::uint32_t flood) const;
  // True if it has met another one.
  bool spread(std::uint32_t flood, std::span<const Mask> moves);
  void merge(std::uint32_t from, std::uint32_t into);

  Layout layout_;
  std::vector<std::uint32_t> labels_;   ///< by cell; 0: none
  std::vector<std::uint32_t> parents_;  ///< by label; itself: a root
  std::vector<std::uint8_t> ranks_;     ///< by label: no chain is longer
  std::vector<std::uint32_t> marks_;    ///< by cell, while split_one runs: flood + 1
  std::vector<Flood> floods_;
  std::uint64_t flooded_ = 0;
};

}  // namespace starbus::nav::grid
