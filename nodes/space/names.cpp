#include "nodes/space/names.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "nodes/space/limits.hpp"

namespace starbus::nodes::space {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_key(char c) {
  return is_word(c) || (c >= 'A' && c <= 'Z') || c == '-';
}

}  // namespace

Result<> check_type(std::string_view type) {
  if (!type.empty() && type.size() <= kMaxTypeName && std::ranges::all_of(type, is_word)) return {};
  return Error(Errc::bad_name, "type '" + std::string(type.substr(0, kMaxTypeName)) +
                                   "': give it 1 to " + std::to_string(kMaxTypeName) +
                                   " of a-z 0-9 _");
}

Result<> check_key(std::string_view key) {
  if (!key.empty() && key.size() <= kMaxKey && std::ranges::all_of(key, is_key)) return {};
  return Error(Errc::bad_name, "key '" + std::string(key.substr(0, kMaxKey)) + "': give it 1 to " +
                                   std::to_string(kMaxKey) + " of a-z A-Z 0-9 _ -");
}

Result<> check_place(const PlaceId& place) {
  if (auto named = check_type(place.type); !named) return named;
  return place.key.empty() ? Result<>() : check_key(place.key);
}

Result<> check_space(const SpaceName& name) {
  if (auto placed = check_place(name.place); !placed) return placed;
  if (name.line >= 1 && name.line <= kMaxLines) return {};
  return Error(Errc::bad_name, "line " + std::to_string(name.line) + " of " +
                                   to_string(name.place) + ": give 1 to " +
                                   std::to_string(kMaxLines));
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kMaxSpaceLabel && check_key(label);
}

std::string to_string(const PlaceId& place) {
  return place.key.empty() ? place.type : place.type + "." + place.key;
}

std::string to_string(const SpaceName& name) {
  return to_string(name.place) + "-" + std::to_string(name.line);
}

std::string channel_name(const SpaceName& name) {
  return std::string(kSpaces) + to_string(name);
}

std::optional<SpaceName> space_of_channel(std::string_view channel) {
  if (!channel.starts_with(kSpaces)) return std::nullopt;
  channel.remove_prefix(kSpaces.size());
  const std::size_t dash = channel.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = channel.substr(dash + 1);
  const auto line = parse_number<std::uint32_t>(digits);
  if (!line || *line == 0 || *line > kMaxLines || digits.front() == '0') return std::nullopt;
  const std::string_view place = channel.substr(0, dash);
  const std::size_t dot = place.find('.');
  SpaceName name{{std::string(place.substr(0, dot)), {}}, *line};
  if (!check_type(name.place.type)) return std::nullopt;
  if (dot == std::string_view::npos) return name;
  name.place.key = place.substr(dot + 1);
  if (!check_key(name.place.key)) return std::nullopt;
  return name;
}

}  // namespace starbus::nodes::space
