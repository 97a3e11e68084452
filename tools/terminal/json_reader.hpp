/// How documents of the admin API are read; only what parses them includes this.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/wire/ids.hpp"
#include "tools/bustop/model.hpp"

namespace starbus::bustop {

using Json = nlohmann::json;

/// A JSON object, read without exceptions.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  const Json* find(const char* key) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  /// Numbers as text too: identifiers may be either.
  std::string text(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    return value->is_number() ? value->dump() : std::string();
  }
  bool flag(const char* key, bool fallback = false) const {
    const Json* value = find(key);
    return value != nullptr && value->is_boolean() ? value->get<bool>() : fallback;
  }
  double number(const char* key) const {
    const Json* value = find(key);
    const double number = value != nullptr && value->is_number() ? value->get<double>() : 0;
    return std::isfinite(number) ? number : 0;
  }
  std::uint64_t count(const char* key) const { return to_count(find(key)); }
  std::int64_t integer(const char* key) const {
    const std::uint64_t value = count(key);
    return value > INT64_MAX ? 0 : static_cast<std::int64_t>(value);
  }
  /// "3.17" as it stands; a packed number is split.
  std::string epoch(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr || !value->is_number_integer()) return text(key);
    return bus::Epoch{to_count(value)}.to_string();
  }
  template <class Row, class Parse>
  std::vector<Row> rows(const char* key, const Parse& parse) const {
    std::vector<Row> result;
    const Json* value = find(key);
    if (value == nullptr || !value->is_array()) return result;
    for (const Json& item : *value) {
      if (item.is_object()) result.push_back(parse(Reader(item)));
    }
    return result;
  }

  static std::uint64_t to_count(const Json* value) {
    if (value == nullptr || !value->is_number()) return 0;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    const double number = value->get<double>();
    return number > 0 && number < 1.8e19 ? static_cast<std::uint64_t>(number) : 0;
  }

 private:
  const Json& object_;
};

/// The frame of every parse_*: text -> object -> value.
template <class Value, class Read>
Result<Value> parse_with(std::string_view text, const Read& read) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{Errc::bad_bytes, "the answer is not a JSON object"};
  return read(Reader(json));
}

}  // namespace starbus::bustop
