#include "aoi/arrays/sort_indices.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "aoi/arrays/bits.hpp"
#include "aoi/arrays/rank_few.hpp"

namespace starbus::aoi {
namespace {

template <std::size_t kFours>
void sort_few(std::span<std::uint32_t> indices) {
  std::int32_t keys[kFours * 4];
  std::int32_t places[kFours * 4];
  std::memcpy(keys, indices.data(), indices.size_bytes());
  rank_few<kFours>(keys, indices.size(), places);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[static_cast<std::size_t>(places[i])] = static_cast<std::uint32_t>(keys[i]);
  }
}

struct Extremes {
  std::uint32_t least;
  std::uint32_t most;
};

// Reads four at a time; there are at least four.
Extremes extremes_of(std::span<const std::uint32_t> indices) {
  using Four = std::int32_t __attribute__((vector_size(16)));
  const auto four_at = [&](std::size_t i) {
    Four four;
    std::memcpy(&four, indices.data() + i, sizeof four);
    return four;
  };
  Four least = four_at(indices.size() - 4);
  Four most = least;
  for (std::size_t i = 0; i + 4 <= indices.size(); i += 4) {
    const Four four = four_at(i);
    least = four < least ? four : least;
    most = most < four ? four : most;
  }
  const auto pick = [](std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    return std::minmax({a, b, c, d});
  };
  return {static_cast<std::uint32_t>(pick(least[0], least[1], least[2], least[3]).first),
          static_cast<std::uint32_t>(pick(most[0], most[1], most[2], most[3]).second)};
}

// Writes the indices of the marks in order, and clears the marks. Most words have none, one or two.
void read_marks(std::span<std::uint64_t> marks, std::uint32_t base, std::span<std::uint32_t> out) {
  constexpr std::size_t kSure = 2;
  std::uint32_t* at = out.data();
  const std::uint32_t* const end = at + out.size();
  for (std::uint64_t& word : marks) {
    const std::uint64_t bits = std::exchange(word, 0);
    const bool room = static_cast<std::size_t>(end - at) >= kSure;
    at = room ? write_bits<kSure>(bits, base, at) : write_bits<0>(bits, base, at);
    base += 64;
  }
}

// A counting sort with one bit per index, for a crowd whose indices lie close together. Returns
// false if they do not.
bool sort_by_marks(std::span<std::uint32_t> indices, std::vector<std::uint64_t>& marks) {
  constexpr std::size_t kWordsPerIndex = 8;
  const Extremes extremes = extremes_of(indices);
  const std::uint32_t first = extremes.least / 64;
  const std::size_t words = extremes.most / 64 - first + 1u;
  if (words > indices.size() * kWordsPerIndex) return false;
  if (marks.size() < words) marks.resize(words);
  for (const std::uint32_t index : indices) {
    marks[index / 64 - first] |= std::uint64_t{1} << index % 64;
  }
  read_marks(std::span(marks).first(words), first * 64, indices);
  return true;
}

}  // namespace

void sort_indices(std::span<std::uint32_t> indices, std::vector<std::uint64_t>& marks) {
  const std::size_t count = indices.size();
  if (count < 2) return;
  if (count <= 8) return sort_few<2>(indices);
  if (count <= 16) return sort_few<4>(indices);
  if (count <= 32) return sort_few<8>(indices);
  if (sort_by_marks(indices, marks)) return;
  if (count <= 64) return sort_few<16>(indices);
  std::sort(indices.begin(), indices.end());
}

namespace {

// Keeps the indices of `some` that are not marked, in order. Branch-free: whether one is marked is
// unpredictable.
void keep_unmarked(std::span<const std::uint32_t> some, const std::vector<std::uint64_t>& marks,
                   std::vector<std::uint32_t>& kept) {
  kept.resize(some.size());
  std::size_t count = 0;
  for (const std::uint32_t index : some) {
    kept[count] = index;
    count += (marks[index / 64] >> index % 64 & 1) ^ 1;
  }
  kept.resize(count);
}

void mark(std::span<const std::uint32_t> some, std::vector<std::uint64_t>& marks) {
  for (const std::uint32_t index : some) marks[index / 64] |= std::uint64_t{1} << index % 64;
}

void unmark(std::span<const std::uint32_t> some, std::vector<std::uint64_t>& marks) {
  for (const std::uint32_t index : some) marks[index / 64] = 0;
}

}  // namespace

void compare(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
             std::vector<std::uint64_t>& marks, std::vector<std::uint32_t>& only_a,
             std::vector<std::uint32_t>& only_b) {
  mark(a, marks);
  keep_unmarked(b, marks, only_b);
  unmark(a, marks);
  mark(b, marks);
  keep_unmarked(a, marks, only_a);
  unmark(b, marks);
}

}  // namespace starbus::aoi
