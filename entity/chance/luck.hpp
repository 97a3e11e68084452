/// The chance of one entity: streams of random numbers and counters of misses by name, which are
/// saved and move with it.
///
///   struct MonsterState : entity::Properties<MonsterState> {
///     STARBUS_FIELDS(StateOf<Luck> luck{this};)
///   };
///   luck.roll("critical", kCritical)                                  // pseudo-random
///   distribution luck.draw("loot", [&](RandomStream& stream) { return kLoot.choose(stream); })
///
/// What is drawn under one name does not shift what is drawn under another. A component for any
/// owner; belongs to the thread of its entity. Without a seed it takes one from the system at the
/// first draw. Nothing is drawn while the entity is frozen: `frozen`, as for every property.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "entity/chance/pseudo_random_rate.hpp"
#include "entity/objects/component_state.hpp"
#include "entity/objects/entity.hpp"
#include "entity/properties/properties.hpp"

namespace starbus::entity {

class Luck final : public ComponentOf<Luck> {
 public:
  static constexpr std::string_view kComponentName = "luck";  // in the owner's properties
  /// seed: 0 until it has one. streams, misses: by name, kMaxStreams of each.
  struct State : Struct<State> {
    Field<std::uint64_t> seed{this, "seed"};
    Map<std::string, RandomStream> streams{this, "streams"};
    Map<std::string, std::uint32_t> misses{this, "misses"};
  };
  static constexpr auto kStateFlags = Flags::save;  // no client sees it

  explicit Luck(const ComponentKey& key) : ComponentOf(key) {}

  /// Begins all streams again, with no misses: the same seed gives the same draws, as tests and
  /// replays want. 0 counts as no seed. Errors: those of writing a property.
  ChanceResult<> seed(std::uint64_t seed);

  /// What `draw` makes of the stream of this name, which is 1..kMaxKey bytes. Errors:
  /// too_many_streams, and those of writing a property; then the stream stands where it stood.
  template <std::invocable<RandomStream&> Draw>
  auto draw(std::string_view name, Draw&& draw)
      -> ChanceResult<std::invoke_result_t<Draw, RandomStream&>> {
    ChanceResult<RandomStream> stream = stream_of(name);
    if (!stream) return stream.error();
    auto drawn = std::invoke(std::forward<Draw>(draw), *stream);
    if (const auto kept = keep(name, *stream); !kept) return kept.error();
    return drawn;
  }

  /// One try of an effect, on the stream of its name, with a counter of misses of its own. Errors:
  /// as draw.
  ChanceResult<bool> roll(std::string_view effect, const PseudoRandomRate& rate);

 private:
  ~Luck() override = default;
  ChanceResult<RandomStream> stream_of(std::string_view name);
  ChanceResult<> keep(std::string_view name, const RandomStream& stream);
};

}  // namespace starbus::entity
