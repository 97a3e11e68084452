/// The loops of kernels.hpp, over Lanes: eight places at once. One file per instruction set
/// includes it and defines its Lanes. All of it has internal linkage, so that the linker cannot put
/// code for one processor in the place of code for another.
#pragma once

#include "aoi/index/kernels.hpp"

namespace starbus::aoi {
namespace {

template <class Lanes, bool kSquare, bool kMargin, bool kHeight>
inline void scan_block(const Block& block, const HeightBlock* heights, const Query& query,
                       std::uint32_t& enter, std::uint32_t& stay) {
  const auto measured = Lanes::template measure<kSquare>(block, query.x, query.y);
  enter = Lanes::at_most(measured, query.enter_limit);
  if constexpr (kMargin) stay = Lanes::at_most(measured, query.stay_limit);
  if constexpr (kHeight) {
    const std::uint32_t band =
        Lanes::between(*heights, query.z, query.min_height, query.max_height);
    enter &= band;
    if constexpr (kMargin) stay &= band;
  }
}

template <class Lanes, bool kSquare, bool kMargin, bool kHeight>
void scan_few(const Block* const* blocks, const HeightBlock* const* heights, std::size_t size,
              const Query* queries, std::size_t count, FewScans* out) {
  constexpr std::size_t kPerWord = 8;
  for (std::size_t at = 0; at < count; ++at) {
    std::uint64_t enters[2] = {};
    std::uint64_t stays[2] = {};
    const auto scan = [&](std::size_t i, std::size_t word) {
      std::uint32_t enter = 0;
      std::uint32_t stay = 0;
      scan_block<Lanes, kSquare, kMargin, kHeight>(*blocks[i], kHeight ? heights[i] : nullptr,
                                                   queries[at], enter, stay);
      enters[word] |= std::uint64_t{enter} << (8 * (i % kPerWord));
      if constexpr (kMargin) stays[word] |= std::uint64_t{stay} << (8 * (i % kPerWord));
    };
    for (std::size_t i = 0; i < kPerWord; ++i) scan(i, 0);
    for (std::size_t i = kPerWord; i < size; ++i) scan(i, 1);
    out[at].enter = {enters[0], enters[1]};
    if constexpr (kMargin) out[at].stay = {stays[0], stays[1]};
  }
}

template <class Lanes, bool kSquare, bool kMargin, bool kHeight>
void scan_run(const Block* blocks, const HeightBlock* heights, std::size_t count,
              const Query& query, const std::uint8_t* old, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t enter = 0;
    std::uint32_t stay = 0;
    scan_block<Lanes, kSquare, kMargin, kHeight>(blocks[i], kHeight ? heights + i : nullptr, query,
                                                 enter, stay);
    if constexpr (kMargin) enter |= old[i] & stay;
    out[i] = static_cast<std::uint8_t>(enter);
  }
}

template <class Lanes>
constexpr KernelTable kernels_of() {
  return {{scan_few<Lanes, false, false, false>, scan_few<Lanes, false, false, true>,
           scan_few<Lanes, false, true, false>, scan_few<Lanes, false, true, true>,
           scan_few<Lanes, true, false, false>, scan_few<Lanes, true, false, true>,
           scan_few<Lanes, true, true, false>, scan_few<Lanes, true, true, true>},
          {scan_run<Lanes, false, false, false>, scan_run<Lanes, false, false, true>,
           scan_run<Lanes, false, true, false>, scan_run<Lanes, false, true, true>,
           scan_run<Lanes, true, false, false>, scan_run<Lanes, true, false, true>,
           scan_run<Lanes, true, true, false>, scan_run<Lanes, true, true, true>}};
}

}  // namespace
}  // namespace starbus::aoi
