#pragma once

#include <utility>

#include "base/numbers.hpp"
#include "entity/properties/field_type.hpp"

namespace starbus::entity {

/// The key types of maps and bags: an integer, or a text of 1 to kMaxKey bytes.
template <class K>
concept KeyType = std::is_same_v<K, std::string> || std::is_same_v<K, std::int32_t> ||
    std::is_same_v<K, std::int64_t> || std::is_same_v<K, std::uint32_t> ||
    std::is_same_v<K, std::uint64_t>;

/// A text has 1 to kMaxKey bytes; any number is a key.
template <KeyType K>
bool valid_key(const K& key) {
  if constexpr (std::is_same_v<K, std::string>) return !key.empty() && key.size() <= kMaxKey;
  return true;
}

/// Reads a key; fails in the decoder if it is not valid.
template <KeyType K>
K read_key(Decoder& in) {
  K key{};
  get_value(in, key);
  if (in.ok() && !valid_key(key)) in.fail(DataErrc::malformed);
  return key;
}

/// "[1001]", "[\"sword\"]".
template <KeyType K>
std::string key_path(const K& key) {
  if constexpr (std::is_integral_v<K>) {
    return "[" + std::to_string(key) + "]";
  } else {
    std::string text = "[\"";
    for (const char c : key) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    return text + "\"]";
  }
}

/// The key that a step of a path names; false if it is not of this type.
template <KeyType K>
bool key_of(const PathStep& step, K& key) {
  if constexpr (std::is_integral_v<K>) {
    key = static_cast<K>(step.value);
    return step.kind == PathStep::number && std::cmp_equal(key, step.value);
  } else {
    key = step.word;
    return step.kind == PathStep::text && valid_key(key);
  }
}

/// A key as the name of a member of a JSON object, and back.
template <KeyType K>
std::string json_key(const K& key) {
  if constexpr (std::is_same_v<K, std::string>)
    return key;
  else
    return std::to_string(key);
}
template <KeyType K>
bool key_from_json(const std::string& text, K& key) {
  if constexpr (std::is_same_v<K, std::string>) {
    key = text;
    return valid_key(key);
  } else {
    const auto number = parse_number<K>(text);
    if (number) key = *number;
    return number.has_value();
  }
}

}  // namespace starbus::entity
