/// Names of spaces. Pure functions and plain values.
///
///   space/town-3            line 3 of the one place of a type
///   space/dungeon.team7-1   line 1 of the place that a key has: a team, a match
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nodes/space/error.hpp"

namespace starbus::nodes::space {

/// What players want to enter: the place of a type, or of a type and a key. It has lines.
struct PlaceId {
  std::string type;
  std::string key;  // empty: the one place of its type

  auto operator<=>(const PlaceId&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(type, key);
  }
};

/// One line of a place, which is one space.
struct SpaceName {
  PlaceId place;
  std::uint32_t line = 1;  // 1..kMaxLines

  auto operator<=>(const SpaceName&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(place, line);
  }
};

/// bad_name: not 1..kMaxTypeName of a-z 0-9 _.
Result<> check_type(std::string_view type);
/// bad_name: not 1..kMaxKey of a-z A-Z 0-9 _ -.
Result<> check_key(std::string_view key);

/// bad_name: one of the two, or a line that is not 1..kMaxLines. An empty key is none.
Result<> check_place(const PlaceId& place);
Result<> check_space(const SpaceName& name);

/// Whether it is 1..kMaxSpaceLabel of a-z A-Z 0-9 _ -: what a type may ask of nodes.
bool is_label(std::string_view label);

/// "town", "dungeon.team7": for people.
std::string to_string(const PlaceId& place);
/// "town-3", "dungeon.team7-1": for people.
std::string to_string(const SpaceName& name);
/// "space/town-3": its channel.
std::string channel_name(const SpaceName& name);
/// What all channels of spaces begin with.
inline constexpr std::string_view kSpaces = "space/";
/// Parses a channel. nullopt if it is malformed or above a limit.
std::optional<SpaceName> space_of_channel(std::string_view channel);

}  // namespace starbus::nodes::space
