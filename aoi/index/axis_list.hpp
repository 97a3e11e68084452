/// One sorted axis of the cross list: an unrolled linked list. Nodes lie in chunks; the first key
/// of each chunk is an anchor at which a search begins, so that a far search walks through one
/// chunk and not through the map.
///
/// A node is an entity with its position on this axis, its key, and on the other axis, so that a
/// walk tells which entities are near without reading anything else. Keys, others and entities lie
/// side by side. Owns the nodes; knows nothing of sensors; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "aoi/scene.hpp"

namespace starbus::aoi {

class AxisList {
 public:
  struct Node {
    float key = 0;
    float other = 0;
    EntityIndex entity = kNone;
  };
  /// Includes its borders.
  struct Range {
    float from = 0;
    float to = 0;
    bool holds(float value) const { return value >= from && value <= to; }
  };

  /// The entity of a node must not be in the list; that of `erase` must be.
  void insert(const Node& node);
  void erase(EntityIndex entity);
  /// Moves a node that is in the list.
  void shift(const Node& node);
  /// Calls visitor(entity) for each entity whose key and other are in these ranges, by key.
  template <class Visitor>
  void visit(const Range& keys, const Range& others, const Visitor& visitor) const;
  /// Replaces all nodes by these; sorts them.
  void assign(std::vector<Node>& nodes);

  std::size_t size() const { return size_; }
  bool is_sorted() const;
  std::size_t chunks() const { return order_.size(); }
  /// Nodes visited since the list was made.
  std::uint64_t visited() const { return visited_; }
  std::uint64_t memory() const;

 private:
  static constexpr std::uint32_t kChunk = 64;  ///< nodes: one anchor for about 40
  static constexpr std::uint32_t kFull = kChunk * 3 / 4;
  static constexpr std::uint32_t kSparse = kChunk / 4;
  struct Chunk {
    std::uint32_t count = 0;
    float keys[kChunk];
    float others[kChunk];
    EntityIndex entities[kChunk];

    void put(std::uint32_t slot, const Node& node);
    void take(std::uint32_t slot);
    void append(const Chunk& from, std::uint32_t begin, std::uint32_t count);
    std::uint32_t slot_of(EntityIndex entity) const;
    std::uint32_t slot_after(float key) const;  ///< the first slot with a larger key
  };

  Chunk& at(std::size_t place) { return chunks_[order_[place]]; }
  const Chunk& at(std::size_t place) const { return chunks_[order_[place]]; }
  std::size_t place_of(EntityIndex entity) const { return places_[where_[entity]]; }
  /// The place in order_ of the chunk where a key belongs, after equal keys.
  std::size_t find(float key) const;
  void put(std::size_t place, const Node& node);
  void take(std::size_t place, std::uint32_t slot);
  void split(std::size_t place);
  void join(std::size_t place);
  void move_nodes(std::size_t from, std::uint32_t begin, std::size_t to);
  void add_chunk(std::size_t place);
  void drop_chunk(std::size_t place);
  void renumber(std::size_t from);

  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> order_;   ///< chunks, ascending
  std::vector<float> anchors_;         ///< parallel to order_: the first key of each chunk
  std::vector<std::uint32_t> places_;  ///< by chunk: its place in order_
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> where_;  ///< by entity: its chunk
  std::size_t size_ = 0;
  mutable std::uint64_t visited_ = 0;
};

template <class Visitor>
void AxisList::visit(const Range& keys, const Range& others, const Visitor& visitor) const {
  if (size_ == 0) return;
  std::size_t place = find(keys.from);
  while (place > 0 && anchors_[place] >= keys.from) --place;  // equal keys may begin before
  for (; place < order_.size() && anchors_[place] <= keys.to; ++place) {
    const Chunk& chunk = at(place);
    visited_ += chunk.count;
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      const bool in = keys.holds(chunk.keys[i]) && others.holds(chunk.others[i]);
      if (in) visitor(chunk.entities[i]);
    }
  }
}

}  // namespace starbus::aoi
