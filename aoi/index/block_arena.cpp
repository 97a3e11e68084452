#include "aoi/index/block_arena.hpp"

#include <bit>
#include <cassert>
#include <limits>

namespace starbus::aoi {
namespace {

constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();

Block empty_block() {
  Block block{};
  for (std::size_t i = 0; i < kBlockPlaces; ++i) block.x[i] = kNowhere;
  return block;
}

void set_bit(std::uint8_t& byte, std::uint32_t bit, bool on) {
  const auto mask = static_cast<std::uint8_t>(1u << bit);
  byte = static_cast<std::uint8_t>(on ? byte | mask : byte & ~mask);
}

}  // namespace

BlockArena::BlockArena(const Scene& the_scene) : scene(the_scene) {
  (void)allocate(1);
}

void BlockArena::reserve(std::size_t count) {
  blocks.reserve(count);
  entities.reserve(count * kBlockPlaces);
  occupied.reserve(count);
  vacated.reserve(count);
  moved.reserve(count);
}

std::uint32_t BlockArena::allocate(std::uint32_t capacity) {
  assert(std::has_single_bit(capacity));
  auto& free = free_runs.at(static_cast<std::size_t>(std::countr_zero(capacity)));
  if (!free.empty()) {
    const std::uint32_t first = free.back();
    free.pop_back();
    return first;
  }
  const auto first = static_cast<std::uint32_t>(blocks.size());
  const std::size_t size = blocks.size() + capacity;
  blocks.resize(size, empty_block());
  entities.resize(size * kBlockPlaces, kNone);
  occupied.resize(size);
  vacated.resize(size);
  moved.resize(size);
  if (!heights.empty()) heights.resize(size + 1);
  for (std::size_t i = 1; i < passes.size(); ++i) passes[i].resize(size);
  return first;
}

void BlockArena::release(std::uint32_t first, std::uint32_t capacity) {
  for (std::uint32_t i = first; i < first + capacity; ++i) {
    assert(taken(i) == 0);
    moved[i] = 0;
  }
  free_runs.at(static_cast<std::size_t>(std::countr_zero(capacity))).push_back(first);
}

void BlockArena::put(std::uint32_t place, EntityIndex entity) {
  set_bit(occupied[place / kBlockPlaces], place % kBlockPlaces, true);
  entities[place] = entity;
  set(place, scene.spots[entity].at);
  refilter(place);
}

void BlockArena::clear(std::uint32_t place) {
  vacate(place);
  entities[place] = kNone;
  set_bit(vacated[place / kBlockPlaces], place % kBlockPlaces, false);
}

void BlockArena::vacate(std::uint32_t place) {
  const std::uint32_t block = place / kBlockPlaces;
  const std::uint32_t bit = place % kBlockPlaces;
  blocks[block].x[bit] = kNowhere;
  set_bit(occupied[block], bit, false);
  set_bit(vacated[block], bit, true);
  set_bit(moved[block], bit, false);
  for (std::size_t i = 1; i < passes.size(); ++i) set_bit(passes[i][block], bit, false);
}

void BlockArena::refilter(std::uint32_t place) {
  if (passes.size() < 2) return;
  const std::uint64_t flags = scene.flags[entities[place]];
  for (std::size_t i = 1; i < passes.size(); ++i) {
    set_bit(passes[i][place / kBlockPlaces], place % kBlockPlaces,
            scene.filters.passes(static_cast<FilterNumber>(i), flags));
  }
}

void BlockArena::refilter_all(FilterNumber number) {
  if (number == 0) return;
  if (passes.size() <= number) passes.resize(number + 1u);
  for (std::size_t i = 1; i < passes.size(); ++i) passes[i].resize(blocks.size());
  auto& bits = passes[number];
  for (std::size_t place = 0; place < entities.size(); ++place) {
    const EntityIndex entity = entities[place];
    set_bit(bits[place / kBlockPlaces], place % kBlockPlaces,
            entity != kNone && scene.filters.passes(number, scene.flags[entity]));
  }
}

void BlockArena::keep_heights() {
  if (!heights.empty()) return;
  heights.resize(blocks.size() + 1);  // so that it is never empty again
  for (std::size_t place = 0; place < entities.size(); ++place) {
    if (entities[place] == kNone) continue;
    heights[place / kBlockPlaces].z[place % kBlockPlaces] = scene.spots[entities[place]].at.z;
  }
}

std::uint64_t BlockArena::memory() const {
  std::uint64_t bytes = blocks.capacity() * sizeof(Block) +
                        heights.capacity() * sizeof(HeightBlock) +
                        entities.capacity() * sizeof(EntityIndex) + occupied.capacity() +
                        vacated.capacity() + moved.capacity();
  for (const auto& bits : passes) bytes += bits.capacity();
  for (const auto& list : free_runs) bytes += list.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace starbus::aoi
