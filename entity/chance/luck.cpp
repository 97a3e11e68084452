#include "entity/chance/luck.hpp"

#include <random>

#include "entity/chance/limits.hpp"

namespace starbus::entity {
namespace {

/// Not 0. From the system, once per entity.
std::uint64_t seed_of_system() {
  std::random_device device;
  std::uint64_t seed = 0;
  while (seed == 0) seed = (std::uint64_t{device()} << 32) | device();
  return seed;
}

}  // namespace

ChanceResult<> Luck::seed(std::uint64_t seed) {
  if (const auto set = state().seed.set(seed); !set) return set.error();
  if (const auto cleared = state().streams.clear(); !cleared) return cleared.error();
  return state().misses.clear();
}

ChanceResult<RandomStream> Luck::stream_of(std::string_view name) {
  const std::string key(name);
  if (const RandomStream* stream = state().streams.find(key)) return *stream;
  if (state().streams.size() >= kMaxStreams) return Error(ChanceErrc::too_many_streams, key);
  if (state().seed == 0) {
    if (const auto set = state().seed.set(seed_of_system()); !set) return set.error();
  }
  return RandomStream(state().seed, name);
}

ChanceResult<> Luck::keep(std::string_view name, const RandomStream& stream) {
  return state().streams.put(std::string(name), stream);
}

ChanceResult<bool> Luck::roll(std::string_view effect, const PseudoRandomRate& rate) {
  ChanceResult<RandomStream> stream = stream_of(effect);
  if (!stream) return stream.error();
  const std::string key(effect);
  const std::uint32_t* const before = state().misses.find(key);
  if (before == nullptr && state().misses.size() >= kMaxStreams) {
    return Error(ChanceErrc::too_many_streams, key);
  }
  std::uint32_t misses = before == nullptr ? 0 : *before;
  const bool happens = rate.roll(*stream, misses);
  if (const auto kept = keep(effect, *stream); !kept) return kept.error();
  if (const auto counted = state().misses.put(key, misses); !counted) return counted.error();
  return happens;
}

}  // namespace starbus::entity
