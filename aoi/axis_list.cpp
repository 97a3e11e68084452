#include "aoi/axis_list.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::aoi {

std::uint32_t& AxisList::chunk_of(Ref ref) {
  auto& chunks = where_[static_cast<std::size_t>(ref.kind())];
  if (chunks.size() <= ref.index()) chunks.resize(ref.index() + 1u, kNone);
  return chunks[ref.index()];
}

std::size_t AxisList::find(float key) const {
  const auto after = std::upper_bound(anchors_.begin(), anchors_.end(), key);
  return after == anchors_.begin() ? 0 : static_cast<std::size_t>(after - anchors_.begin()) - 1;
}

std::uint32_t AxisList::slot_in(const Chunk& chunk, Ref ref) const {
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    if (chunk.nodes[i].ref.value == ref.value) return i;
  }
  assert(false);
  return 0;
}

void AxisList::insert(Ref ref, float key) {
  if (order_.empty()) (void)new_chunk(0);
  const std::size_t place = find(key);
  const Chunk& chunk = chunks_[order_[place]];
  std::uint32_t slot = 0;
  while (slot < chunk.count && chunk.nodes[slot].key <= key) ++slot;
  visited_ += slot + 1;
  put(place, slot, {key, ref});
  ++size_;
}

void AxisList::erase(Ref ref) {
  const std::size_t place = place_of(chunk_of(ref));
  take(place, slot_in(chunks_[order_[place]], ref));
  chunk_of(ref) = kNone;
  --size_;
}

// May divide the chunk.
void AxisList::put(std::size_t place, std::uint32_t slot, Node node) {
  if (chunks_[order_[place]].count == kChunk) {
    split(place);
    const std::uint32_t half = chunks_[order_[place]].count;
    if (slot > half) {
      ++place;
      slot -= half;
    }
  }
  Chunk& chunk = chunks_[order_[place]];
  std::copy_backward(chunk.nodes + slot, chunk.nodes + chunk.count, chunk.nodes + chunk.count + 1);
  chunk.nodes[slot] = node;
  ++chunk.count;
  anchors_[place] = chunk.nodes[0].key;
  chunk_of(node.ref) = order_[place];
}

// May end the chunk.
void AxisList::take(std::size_t place, std::uint32_t slot) {
  const std::uint32_t number = order_[place];
  Chunk& chunk = chunks_[number];
  std::copy(chunk.nodes + slot + 1, chunk.nodes + chunk.count, chunk.nodes + slot);
  if (--chunk.count != 0) {
    anchors_[place] = chunk.nodes[0].key;
    return;
  }
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(place));
  anchors_.erase(anchors_.begin() + static_cast<std::ptrdiff_t>(place));
  free_.push_back(number);
  renumber(place);
}

std::uint32_t AxisList::new_chunk(std::size_t place) {
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
  anchors_.insert(anchors_.begin() + static_cast<std::ptrdiff_t>(place), 0.0F);
  renumber(place);
  return number;
}

void AxisList::renumber(std::size_t from) {
  for (std::size_t i = from; i < order_.size(); ++i) {
    places_[order_[i]] = static_cast<std::uint32_t>(i);
  }
}

void AxisList::split(std::size_t place) {
  const std::uint32_t number = new_chunk(place + 1);
  Chunk& full = chunks_[order_[place]];
  Chunk& fresh = chunks_[number];
  fresh.count = full.count / 2;
  full.count -= fresh.count;
  std::copy(full.nodes + full.count, full.nodes + full.count + fresh.count, fresh.nodes);
  for (std::uint32_t i = 0; i < fresh.count; ++i) chunk_of(fresh.nodes[i].ref) = number;
  anchors_[place + 1] = fresh.nodes[0].key;
}

void AxisList::assign(std::vector<Node> nodes) {
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return a.key != b.key ? a.key < b.key : a.ref.value < b.ref.value;
  });
  constexpr std::uint32_t kFill = kChunk * 3 / 4;  // room for those who come later
  chunks_.clear();
  order_.clear();
  anchors_.clear();
  places_.clear();
  free_.clear();
  for (auto& chunks : where_) std::fill(chunks.begin(), chunks.end(), kNone);
  for (std::size_t from = 0; from < nodes.size(); from += kFill) {
    const auto number = static_cast<std::uint32_t>(chunks_.size());
    Chunk& chunk = chunks_.emplace_back();
    chunk.count = static_cast<std::uint32_t>(std::min<std::size_t>(kFill, nodes.size() - from));
    std::copy_n(nodes.begin() + static_cast<std::ptrdiff_t>(from), chunk.count, chunk.nodes);
    for (std::uint32_t i = 0; i < chunk.count; ++i) chunk_of(chunk.nodes[i].ref) = number;
    order_.push_back(number);
    anchors_.push_back(chunk.nodes[0].key);
    places_.push_back(number);
  }
  size_ = nodes.size();
}

bool AxisList::is_sorted() const {
  float last = -3e38F;
  std::size_t count = 0;
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const Chunk& chunk = chunks_[order_[place]];
    if (chunk.count == 0 || anchors_[place] != chunk.nodes[0].key) return false;
    for (std::uint32_t i = 0; i < chunk.count; ++i, ++count) {
      if (chunk.nodes[i].key < last) return false;
      last = chunk.nodes[i].key;
    }
  }
  return count == size_;
}

std::uint64_t AxisList::memory() const {
  std::uint64_t bytes = chunks_.capacity() * sizeof(Chunk) +
                        (order_.capacity() + places_.capacity() + free_.capacity()) * 4 +
                        anchors_.capacity() * sizeof(float);
  for (const auto& chunks : where_) bytes += chunks.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace starbus::aoi
