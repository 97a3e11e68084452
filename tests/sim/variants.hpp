/// The broken variants: each leaves one rule of the protocol out, and must be caught by the oracle
/// at its seed, and by the scenario that is about that rule. Only starbus-sim-broken can break
/// them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/sim/broken/rules.hpp"

namespace starbus::sim {

struct Variant {
  Sabotage sabotage;
  std::string_view name;
  std::string_view profile;   // that exposes it
  std::uint64_t seed;         // that does, as the core is now
  std::uint64_t within;       // or one of so many from there on, after changes of the core
  std::string_view scenario;  // empty: none can
  std::string_view meaning;
};

const std::vector<Variant>& all_variants();
/// Null: no such variant.
const Variant* find_variant(std::string_view name);

/// Whether this build can break rules.
#ifdef STARBUS_SABOTAGE
inline constexpr bool kCanBreak = true;
#else
inline constexpr bool kCanBreak = false;
#endif

/// Breaks a rule for its lifetime.
class Broken {
 public:
  explicit Broken([[maybe_unused]] Sabotage sabotage) {
#ifdef STARBUS_SABOTAGE
    active_sabotage = sabotage;
#endif
  }
  ~Broken() {
#ifdef STARBUS_SABOTAGE
    active_sabotage = Sabotage::none;
#endif
  }
  Broken(const Broken&) = delete;
  Broken& operator=(const Broken&) = delete;
};

}  // namespace starbus::sim
