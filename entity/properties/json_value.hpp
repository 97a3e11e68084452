/// Values to JSON and back, for inspection: numbers, texts and sequences of them as themselves, all
/// else through cereal's JSON archives, with the names that its cereal function gives.
#pragma once

#include <cereal/archives/json.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "entity/archive/archive.hpp"

namespace starbus::entity {

/// JSON converts to almost everything: a result of it must be asked for.
inline DataResult<nlohmann::json> shown(nlohmann::json json) {
  return DataResult<nlohmann::json>(in_place_value, std::move(json));
}

template <class T>
nlohmann::json json_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return json_of(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string> ||
                       std::is_floating_point_v<T>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) return static_cast<std::int64_t>(value);
    return static_cast<std::uint64_t>(value);
  } else if constexpr (kPlainValue<T>) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& element : value) all.push_back(json_of(element));
    return all;
  } else {
    try {
      std::ostringstream text;
      {
        cereal::JSONOutputArchive archive(text);
        archive(cereal::make_nvp("value", value));
      }
      return nlohmann::json::parse(text.str()).at("value");
    } catch (const std::exception& failure) {
      return std::string("not shown: ") + failure.what();
    }
  }
}

template <class T>
bool integer_from_json(const nlohmann::json& json, T& value) {
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned()) {
    const auto wide = json.get<std::uint64_t>();
    if (wide > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return false;
    value = static_cast<T>(wide);
    return true;
  }
  const auto wide = json.get<std::int64_t>();
  value = static_cast<T>(wide);
  return static_cast<std::int64_t>(value) == wide && (wide < 0) == (value < T{0});
}

/// False: it is not a value of that type.
template <class T>
bool from_json_value(const nlohmann::json& json, T& value) {
  if constexpr (std::is_enum_v<T>) {
    auto number = std::underlying_type_t<T>{};
    if (!from_json_value(json, number)) return false;
    value = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number()) return false;
    value = json.get<T>();
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    return integer_from_json(json, value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) return false;
    value = json.get<std::string>();
    return true;
  } else if constexpr (kPlainValue<T>) {
    if (!json.is_array()) return false;
    value.clear();
    for (const nlohmann::json& element : json) {
      if (!from_json_value(element, value.emplace_back())) return false;
    }
    return true;
  } else {
    try {
      std::istringstream text(nlohmann::json{{"value", json}}.dump());
      cereal::JSONInputArchive archive(text);
      archive(cereal::make_nvp("value", value));
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }
}

}  // namespace starbus::entity
