#include "aoi/sort_indices.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "aoi/rank_few.hpp"

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

// Where a crowd's indices lie close together, a bit for each is set, and they are read in order.
bool sort_by_marks(std::span<std::uint32_t> indices, std::vector<std::uint64_t>& marks) {
  constexpr std::size_t kWordsPerIndex = 8;
  const auto [least, most] = std::minmax_element(indices.begin(), indices.end());
  const std::uint32_t first = *least / 64;
  const std::size_t words = *most / 64 - first + 1u;
  if (words > indices.size() * kWordsPerIndex) return false;
  if (marks.size() < words) marks.resize(words);
  for (const std::uint32_t index : indices) {
    marks[index / 64 - first] |= std::uint64_t{1} << index % 64;
  }
  std::uint32_t* out = indices.data();
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t bits = std::exchange(marks[word], 0); bits != 0; bits &= bits - 1) {
      *out++ = static_cast<std::uint32_t>((first + word) * 64) +
               static_cast<std::uint32_t>(std::countr_zero(bits));
    }
  }
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

}  // namespace starbus::aoi
