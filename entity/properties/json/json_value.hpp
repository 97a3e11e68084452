/// Values to JSON and back, for inspection: numbers, texts and sequences of them as themselves,
/// classes by their cereal function.
#pragma once

#include "entity/properties/json/json_archive.hpp"

namespace starbus::entity {

/// Writes a value as JSON.
template <class T>
void write_json(JsonWriter out, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    write_json(out, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.text(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    out.real(static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    out.integer(static_cast<Wide>(value));
  } else if constexpr (kPlainValue<T>) {
    out.array();
    for (const auto& element : value) write_json(out.element(), element);
  } else {
    try {
      archives::JsonOutputArchive archive(out);
      archive(value);
    } catch (const std::exception& failure) {
      out.text(std::string("not shown: ") + failure.what());
    }
  }
}

/// False: the JSON is not a value of that type; `value` may have changed.
template <class T>
bool read_json(const JsonReader& in, T& value) {
  if constexpr (std::is_enum_v<T>) {
    auto number = std::underlying_type_t<T>{};
    if (!read_json(in, number)) return false;
    value = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
    return in.read(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    double wide = 0;
    if (!in.read(wide)) return false;
    value = static_cast<T>(wide);
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t> wide = 0;
    if (!in.read(wide)) return false;
    value = static_cast<T>(wide);
    return value == wide;
  } else if constexpr (kPlainValue<T>) {
    if (!in.is_array()) return false;
    value.clear();
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!read_json(in.element(i), value.emplace_back())) return false;
    }
    return true;
  } else {
    try {
      archives::JsonInputArchive archive(in);
      archive(value);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }
}

}  // namespace starbus::entity
