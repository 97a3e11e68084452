/// One sorted axis of the cross list: an unrolled linked list. Nodes lie in chunks; the first key
/// of each chunk is an anchor from which a search begins, so that whoever is put far away walks
/// through one chunk and not through the map. Who moves a little walks over the nodes that it
/// passes.
///
/// A node is the centre of an entity, or the lower or upper bound of a sensor. Owns the nodes;
/// knows nothing of the other axis; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "aoi/scene.hpp"

namespace starbus::aoi {

class AxisList {
 public:
  enum class Kind : std::uint8_t { centre, lower, upper };
  /// What a node stands for: an entity, or a sensor.
  struct Ref {
    std::uint32_t value = 0;
    Ref() = default;
    Ref(Kind kind, std::uint32_t index) : value(index << 2 | static_cast<std::uint32_t>(kind)) {}
    Kind kind() const { return static_cast<Kind>(value & 3); }
    std::uint32_t index() const { return value >> 2; }
  };
  struct Node {
    float key = 0;
    Ref ref;
  };

  /// By binary search over the anchors.
  void insert(Ref ref, float key);
  void erase(Ref ref);
  /// Walks, and calls visitor(ref) for every node of kind `wanted` between the two places.
  template <class Visitor>
  void shift(Ref ref, float key, Kind wanted, const Visitor& visitor);
  /// Nodes with from <= key <= to, in order.
  template <class Visitor>
  void visit(float from, float to, const Visitor& visitor) const;
  /// Replaces everything.
  void assign(std::vector<Node> nodes);

  std::size_t size() const { return size_; }
  bool is_sorted() const;
  /// Nodes that were looked at since the list was made.
  std::uint64_t visited() const { return visited_; }
  std::uint64_t memory() const;

 private:
  static constexpr std::uint32_t kChunk = 64;  ///< nodes: 512 bytes, and an anchor for some 40
  struct Chunk {
    std::uint32_t count = 0;
    Node nodes[kChunk];
  };

  std::uint32_t& chunk_of(Ref ref);
  std::size_t find(float key) const;  ///< the place in order_ of the chunk where a key belongs
  std::size_t place_of(std::uint32_t chunk) const { return places_[chunk]; }
  std::uint32_t slot_in(const Chunk& chunk, Ref ref) const;
  void put(std::size_t place, std::uint32_t slot, Node node);
  void take(std::size_t place, std::uint32_t slot);
  void split(std::size_t place);
  std::uint32_t new_chunk(std::size_t place);
  void renumber(std::size_t from);

  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> order_;   ///< chunks, ascending
  std::vector<float> anchors_;         ///< beside order_: the first key of each
  std::vector<std::uint32_t> places_;  ///< by chunk: where it is in order_
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> where_[3];  ///< by kind and index: the chunk
  std::size_t size_ = 0;
  mutable std::uint64_t visited_ = 0;
};

template <class Visitor>
void AxisList::shift(Ref ref, float key, Kind wanted, const Visitor& visitor) {
  std::size_t place = place_of(chunk_of(ref));
  Chunk* chunk = &chunks_[order_[place]];
  std::uint32_t slot = slot_in(*chunk, ref);
  const float old = chunk->nodes[slot].key;
  const auto pass = [&](const Node& node) {
    ++visited_;
    if (node.ref.kind() == wanted) visitor(node.ref.index());
  };
  const std::size_t from_place = place;
  const std::uint32_t from_slot = slot;
  if (key >= old) {
    while (true) {
      for (++slot; slot < chunk->count && chunk->nodes[slot].key <= key; ++slot) {
        pass(chunk->nodes[slot]);
      }
      const bool more =
          slot == chunk->count && place + 1 < order_.size() && anchors_[place + 1] <= key;
      if (!more) break;
      chunk = &chunks_[order_[++place]];
      slot = 0;
      pass(chunk->nodes[0]);
    }
  } else {
    while (true) {
      for (; slot > 0 && chunk->nodes[slot - 1].key >= key; --slot) pass(chunk->nodes[slot - 1]);
      if (slot > 0 || place == 0) break;
      const Chunk& before = chunks_[order_[place - 1]];
      if (before.nodes[before.count - 1].key < key) break;
      chunk = &chunks_[order_[--place]];
      slot = chunk->count;
    }
  }
  if (place == from_place) {
    // Within its chunk: those in between move by one.
    Node* const nodes = chunk->nodes;
    for (std::uint32_t i = from_slot; i + 1 < slot; ++i) nodes[i] = nodes[i + 1];
    for (std::uint32_t i = from_slot; i > slot; --i) nodes[i] = nodes[i - 1];
    nodes[slot > from_slot ? slot - 1 : slot] = {key, ref};
    anchors_[place] = nodes[0].key;
    return;
  }
  const std::uint32_t target = order_[place];
  take(from_place, from_slot);
  put(place_of(target), slot, {key, ref});
}

template <class Visitor>
void AxisList::visit(float from, float to, const Visitor& visitor) const {
  if (size_ == 0) return;
  std::size_t place = find(from);
  while (place > 0 && anchors_[place] >= from) --place;  // equal keys may begin before
  for (; place < order_.size() && anchors_[place] <= to; ++place) {
    const Chunk& chunk = chunks_[order_[place]];
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      ++visited_;
      if (chunk.nodes[i].key >= from && chunk.nodes[i].key <= to) visitor(chunk.nodes[i].ref);
    }
  }
}

}  // namespace starbus::aoi
