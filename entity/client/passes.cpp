#include "entity/client/passes.hpp"

namespace starbus::entity::sessions {

std::optional<Key> seal_after(const Relink& word, std::uint32_t turn, Key seal) {
  const std::size_t known = word.passes.size();
  if (word.turn <= turn || word.turn - turn > known) return std::nullopt;
  for (std::size_t i = known - (word.turn - turn); i < known; ++i) {
    if (seal_of(word.passes[i].secret) != seal) return std::nullopt;
    seal = word.passes[i].seal;
  }
  return seal;
}

}  // namespace starbus::entity::sessions
