#include "nodes/gate/core/token_pair.hpp"

#include <utility>

#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {
namespace {

/// 1 if equal, else 0; without a branch.
std::uint64_t same_key(const Key& a, const Key& b) {
  std::uint64_t differ = (a.high ^ b.high) | (a.low ^ b.low);
  for (unsigned half = 32; half > 0; half /= 2) differ |= differ >> half;
  return ~differ & 1U;
}

}  // namespace

Key TokenPair::issue(KeySource& keys) {
  const Key token = keys.key();
  (state_.current ? state_.next : state_.current) = sessions::seal_of(token);
  return token;
}

TokenFits TokenPair::fits(const Key& token) const {
  const Key seal = sessions::seal_of(token);
  std::uint64_t erased = 0;
  for (const Key& each : state_.erased) erased |= same_key(each, seal);
  const std::uint64_t now = same_key(state_.current, seal) | same_key(state_.next, seal);
  if (now != 0) return TokenFits::yes;
  return erased != 0 ? TokenFits::erased : TokenFits::no;
}

void TokenPair::used(const Key& token) {
  if (state_.next && same_key(state_.next, sessions::seal_of(token)) != 0) confirm();
}

void TokenPair::confirm() {
  if (!state_.next) return;
  state_.erased.push_back(state_.current);
  if (state_.erased.size() > kTokensErased) state_.erased.erase(state_.erased.begin());
  state_.current = std::exchange(state_.next, Key{});
}

}  // namespace starbus::nodes::gate
