#include "entity/chance/random_stream.hpp"

#include <algorithm>
#include <bit>

#include "entity/archive/signature.hpp"

namespace starbus::entity {
namespace {

/// SplitMix64: the next number of the sequence whose place is `at`.
std::uint64_t split_mix(std::uint64_t& at) {
  at += 0x9e3779b97f4a7c15U;
  std::uint64_t z = at;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose) {
  std::uint64_t at = seed;
  if (!purpose.empty()) at = split_mix(at) ^ hash_of(purpose);
  for (std::uint64_t& word : state_) word = split_mix(at);
}

std::uint64_t RandomStream::operator()() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  if (n < 2) return 0;  // the rest of a number of 0 bits
  // As many of the upper bits as n - 1 has: in one of two cases at worst it is too large.
  const int unused = std::countl_zero(n - 1);
  for (;;) {
    const std::uint64_t drawn = (*this)() >> unused;
    if (drawn < n) return drawn;
  }
}

std::int64_t RandomStream::between(std::int64_t low, std::int64_t high) {
  if (high < low) std::swap(low, high);
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t drawn = width == max() ? (*this)() : below(width + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + drawn);
}

}  // namespace starbus::entity
