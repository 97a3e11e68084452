#include "aoi/index/axis_list.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::aoi {

void AxisList::Chunk::put(std::uint32_t slot, const Node& node) {
  std::copy_backward(keys + slot, keys + count, keys + count + 1);
  std::copy_backward(others + slot, others + count, others + count + 1);
  std::copy_backward(entities + slot, entities + count, entities + count + 1);
  keys[slot] = node.key;
  others[slot] = node.other;
  entities[slot] = node.entity;
  ++count;
}

void AxisList::Chunk::take(std::uint32_t slot) {
  std::copy(keys + slot + 1, keys + count, keys + slot);
  std::copy(others + slot + 1, others + count, others + slot);
  std::copy(entities + slot + 1, entities + count, entities + slot);
  --count;
}

void AxisList::Chunk::append(const Chunk& from, std::uint32_t begin, std::uint32_t more) {
  std::copy_n(from.keys + begin, more, keys + count);
  std::copy_n(from.others + begin, more, others + count);
  std::copy_n(from.entities + begin, more, entities + count);
  count += more;
}

std::uint32_t AxisList::Chunk::slot_of(EntityIndex entity) const {
  const EntityIndex* const found = std::find(entities, entities + count, entity);
  assert(found != entities + count);
  return static_cast<std::uint32_t>(found - entities);
}

std::uint32_t AxisList::Chunk::slot_after(float key) const {
  return static_cast<std::uint32_t>(std::upper_bound(keys, keys + count, key) - keys);
}

std::size_t AxisList::find(float key) const {
  const auto after = std::upper_bound(anchors_.begin(), anchors_.end(), key);
  return after == anchors_.begin() ? 0 : static_cast<std::size_t>(after - anchors_.begin()) - 1;
}

void AxisList::insert(const Node& node) {
  if (where_.size() <= node.entity) where_.resize(node.entity + 1u, kNone);
  if (order_.empty()) add_chunk(0);
  put(find(node.key), node);
  ++size_;
}

void AxisList::erase(EntityIndex entity) {
  const std::size_t place = place_of(entity);
  take(place, at(place).slot_of(entity));
  where_[entity] = kNone;
  --size_;
}

void AxisList::shift(const Node& node) {
  const std::size_t place = place_of(node.entity);
  Chunk& chunk = at(place);
  const std::uint32_t slot = chunk.slot_of(node.entity);
  const bool stays = (place == 0 || node.key >= anchors_[place]) &&
                     (place + 1 == order_.size() || node.key < anchors_[place + 1]);
  if (!stays) {
    take(place, slot);
    put(find(node.key), node);
    return;
  }
  visited_ += chunk.count;
  chunk.take(slot);
  chunk.put(chunk.slot_after(node.key), node);
  anchors_[place] = chunk.keys[0];
}

// May split the chunk.
void AxisList::put(std::size_t place, const Node& node) {
  if (at(place).count == kChunk) {
    split(place);
    if (node.key >= anchors_[place + 1]) ++place;
  }
  Chunk& chunk = at(place);
  visited_ += chunk.count + 1;
  chunk.put(chunk.slot_after(node.key), node);
  anchors_[place] = chunk.keys[0];
  where_[node.entity] = order_[place];
}

// May join the chunk with the next one. At least one chunk is left.
void AxisList::take(std::size_t place, std::uint32_t slot) {
  Chunk& chunk = at(place);
  visited_ += chunk.count;
  chunk.take(slot);
  if (chunk.count != 0) anchors_[place] = chunk.keys[0];
  if (chunk.count >= kSparse) return;
  if (place + 1 < order_.size()) join(place);
  if (place > 0 && at(place).count < kSparse) join(place - 1);
}

void AxisList::split(std::size_t place) {
  add_chunk(place + 1);
  move_nodes(place, at(place).count / 2, place + 1);
}

// Joins the chunk with the next one if both are sparse or one is empty.
void AxisList::join(std::size_t place) {
  const std::uint32_t one = at(place).count;
  const std::uint32_t next = at(place + 1).count;
  if (one + next > kFull && one != 0 && next != 0) return;
  move_nodes(place + 1, 0, place);
  drop_chunk(place + 1);
}

void AxisList::move_nodes(std::size_t from, std::uint32_t begin, std::size_t to) {
  Chunk& source = at(from);
  Chunk& target = at(to);
  target.append(source, begin, source.count - begin);
  for (std::uint32_t i = begin; i < source.count; ++i) where_[source.entities[i]] = order_[to];
  source.count = begin;
  anchors_[to] = target.keys[0];
}

void AxisList::add_chunk(std::size_t place) {
  std::uint32_t number = static_cast<std::uint32_t>(chunks_.size());
  if (free_.empty()) {
    chunks_.emplace_back();
    places_.push_back(0);
  } else {
    number = free_.back();
    free_.pop_back();
    chunks_[number].count = 0;
  }
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place), number);
  anchors_.insert(anchors_.begin() + static_cast<std::ptrdiff_t>(place), 0);
  renumber(place);
}

void AxisList::drop_chunk(std::size_t place) {
  free_.push_back(order_[place]);
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(place));
  anchors_.erase(anchors_.begin() + static_cast<std::ptrdiff_t>(place));
  renumber(place);
}

void AxisList::renumber(std::size_t from) {
  for (std::size_t i = from; i < order_.size(); ++i) {
    places_[order_[i]] = static_cast<std::uint32_t>(i);
  }
}

void AxisList::assign(std::vector<Node>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return a.key != b.key ? a.key < b.key : a.entity < b.entity;
  });
  chunks_.clear();
  order_.clear();
  anchors_.clear();
  places_.clear();
  free_.clear();
  std::fill(where_.begin(), where_.end(), kNone);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (i % kFull == 0) {  // leaves room for later insertions
      add_chunk(order_.size());
      anchors_.back() = node.key;
    }
    chunks_.back().put(chunks_.back().count, node);
    if (where_.size() <= node.entity) where_.resize(node.entity + 1u, kNone);
    where_[node.entity] = order_.back();
  }
  size_ = nodes.size();
}

bool AxisList::is_sorted() const {
  float last = -3e38F;
  std::size_t count = 0;
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const Chunk& chunk = at(place);
    if (size_ != 0 && (chunk.count == 0 || anchors_[place] != chunk.keys[0])) return false;
    for (std::uint32_t i = 0; i < chunk.count; ++i, ++count) {
      if (chunk.keys[i] < last || places_[where_[chunk.entities[i]]] != place) return false;
      last = chunk.keys[i];
    }
  }
  return count == size_;
}

std::uint64_t AxisList::memory() const {
  return chunks_.capacity() * sizeof(Chunk) +
         (order_.capacity() + places_.capacity() + free_.capacity() + where_.capacity()) *
             sizeof(std::uint32_t) +
         anchors_.capacity() * sizeof(float);
}

}  // namespace starbus::aoi
