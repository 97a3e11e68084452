/// Up to 64 flags of an enum, in one word: filters in constant time, apart from types.
#pragma once

#include <cstdint>
#include <type_traits>

namespace starbus::entity {

/// The values of `Enum` are the numbers of bits, 0 to 63. A plain value.
template <class Enum>
requires std::is_enum_v<Enum>
class FlagSet {
 public:
  constexpr FlagSet() = default;
  template <class... Flags>
  requires(std::is_same_v<Enum, Flags>&&...) constexpr explicit FlagSet(Flags... flags)
      : bits_((std::uint64_t{0} | ... | bit(flags))) {}
  /// The set of these bits, as `bits` returns them.
  static constexpr FlagSet from_bits(std::uint64_t bits) {
    FlagSet set;
    set.bits_ = bits;
    return set;
  }

  constexpr bool has(Enum flag) const { return (bits_ & bit(flag)) != 0; }
  constexpr bool has_all(FlagSet flags) const { return (bits_ & flags.bits_) == flags.bits_; }
  constexpr bool has_any(FlagSet flags) const { return (bits_ & flags.bits_) != 0; }
  constexpr void add(Enum flag) { bits_ |= bit(flag); }
  constexpr void add(FlagSet flags) { bits_ |= flags.bits_; }
  constexpr void remove(Enum flag) { bits_ &= ~bit(flag); }
  constexpr void remove(FlagSet flags) { bits_ &= ~flags.bits_; }
  constexpr void set(Enum flag, bool on) { on ? add(flag) : remove(flag); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(FlagSet, FlagSet) = default;

 private:
  static constexpr std::uint64_t bit(Enum flag) {
    return std::uint64_t{1} << static_cast<std::underlying_type_t<Enum>>(flag);
  }
  std::uint64_t bits_ = 0;
};

/// Marks of an entity that all games have words for; they travel with it. They are filters for the
/// code of games: nothing in starbus acts on one. Games have the bits from 32 on, in an enum of
/// theirs. Numbers travel: never reuse one.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // g++ 12: `ghost` of properties, though this is scoped
enum class EntityFlag : std::uint8_t {
  client_visible = 0,
  dead = 1,
  player = 2,
  global = 3,         // has no space
  ghost = 4,          // a copy of one that lives elsewhere
  support_ghost = 5,  // may have copies
  aoi_limited = 7,    // sees a bounded number of others; 6 was support_migrate
};
#pragma GCC diagnostic pop
using EntityFlags = FlagSet<EntityFlag>;

}  // namespace starbus::entity
