/// Flags of a field: its audiences, and the lifetime of its value. Flags are
/// template arguments, so that unused features cost a field nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace starbus::entity {

/// The receivers of changes, in the order in which they get them: ghosts before clients, which may
/// ask them.
enum class Audience : std::uint8_t { ghost, other_clients, own_client, save, cache };
inline constexpr std::size_t kAudiences = 5;

/// The purpose of a snapshot or a saved form: an audience, or a move to another process, for which
/// visibility does not count and lifetimes do.
enum class View : std::uint8_t { ghost, other_clients, own_client, save, cache, migration };
inline constexpr std::size_t kViews = 6;
constexpr View view_of(Audience audience) {
  return static_cast<View>(audience);
}
std::string_view name_of(View view);

/// The flags of a field; `|` joins them.
enum class Flags : std::uint16_t {
  none = 0,
  ghost = 1,  ///< the real's ghosts in other processes
  other_clients =
      2 | 1,       ///< clients that see the entity; these are served by ghosts, so it implies
  own_client = 4,  ///< the client that controls it
  all_clients = 4 | 2 | 1,
  save = 8,           ///< the database: lives for ever
  cache = 16,         ///< services that show entities which are not online
  server_only = 32,   ///< none of these, also within a struct that is seen: a plain store
  per_space = 64,     ///< default again when the entity changes its space
  per_process = 128,  ///< default again when the entity changes its process, or at login
  per_session = 256,  ///< default again at login; what is not saved has it unless it says otherwise
  latest_only = 512,  ///< late observers get its newest value only, once
};
constexpr Flags operator|(Flags a, Flags b) {
  return static_cast<Flags>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}
/// Whether all of `all_of` are set.
constexpr bool has(Flags flags, Flags all_of) {
  const auto bits = static_cast<std::uint16_t>(all_of);
  return (static_cast<std::uint16_t>(flags) & bits) == bits;
}
/// "own_client|save"; "" for none.
std::string to_string(Flags flags);

/// The flags without their enum, for declarations: `Field<int, own_client | save>`.
inline constexpr Flags ghost = Flags::ghost;
inline constexpr Flags other_clients = Flags::other_clients;
inline constexpr Flags own_client = Flags::own_client;
inline constexpr Flags all_clients = Flags::all_clients;
inline constexpr Flags save = Flags::save;
inline constexpr Flags cache = Flags::cache;
inline constexpr Flags server_only = Flags::server_only;
inline constexpr Flags per_space = Flags::per_space;
inline constexpr Flags per_process = Flags::per_process;
inline constexpr Flags per_session = Flags::per_session;
inline constexpr Flags latest_only = Flags::latest_only;

/// The lifetime that ends: fields of this or a shorter one become their defaults.
enum class Lifetime : std::uint8_t { space, process, session };

/// A bit per view: the views that a field is part of, as far as it decides that itself. Its holder
/// can only take bits away.
using Reach = std::uint8_t;
inline constexpr Reach kAudienceBits = 0x1f;
inline constexpr Reach kTravelBit = 0x20;  // View::migration
inline constexpr Reach kWholeReach = kAudienceBits | kTravelBit;
constexpr Reach bit_of(View view) {
  return static_cast<Reach>(1U << static_cast<unsigned>(view));
}
constexpr Reach bit_of(Audience audience) {
  return bit_of(view_of(audience));
}

/// Whether one of per_space, per_process and per_session is set.
constexpr bool has_lifetime(Flags flags) {
  return (static_cast<std::uint16_t>(flags) & 0x1c0) != 0;
}
/// Whether any audience is named.
constexpr bool names_audience(Flags flags) {
  return (static_cast<std::uint16_t>(flags) & kAudienceBits) != 0;
}

/// The reach of a field: the audiences it names. If it names none: all that see its struct, or none
/// if it stands in the entity itself.
constexpr Reach reach_of(Flags flags, bool in_entity) {
  Reach reach = static_cast<Reach>(static_cast<std::uint16_t>(flags) & kAudienceBits);
  if (reach == 0 && !in_entity && !has(flags, Flags::server_only)) reach = kAudienceBits;
  if (has_lifetime(flags)) reach = static_cast<Reach>(reach & ~bit_of(View::save));
  // What counts in one space travels with an entity that stays in it.
  return has(flags, Flags::per_process) ? reach : static_cast<Reach>(reach | kTravelBit);
}

/// Whether a declaration is valid; checked where a field is declared.
constexpr bool valid(Flags flags) {
  const auto bits = static_cast<std::uint16_t>(flags);
  const bool one_lifetime = std::popcount(bits & 0x1c0U) <= 1;
  const bool saved_for_ever = !has(flags, Flags::save) || !has_lifetime(flags);
  const bool hidden_from_all = !has(flags, Flags::server_only) || !names_audience(flags);
  const bool ghosted = (bits & 2U) == 0 || (bits & 1U) != 0;
  return one_lifetime && saved_for_ever && hidden_from_all && ghosted;
}

/// True if a field with these flags, of this reach after all that hold it, becomes its default when
/// `lifetime` ends.
constexpr bool ends_with(Flags flags, Reach reach, Lifetime lifetime) {
  if (has(flags, Flags::per_space)) return true;
  if (has(flags, Flags::per_process)) return lifetime >= Lifetime::process;
  return lifetime == Lifetime::session && (reach & bit_of(View::save)) == 0;
}

}  // namespace starbus::entity
