/// What nodes answer on their admin routes, read with care: its values come from peers, so code
/// that prints them uses text.hpp. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "bus/core/error.hpp"

namespace starbus::bustop {

/// Answers of a node's admin routes, by the name of its process ("HOST.NODE").
using NodeLook = std::function<bus::Result<nlohmann::json>(const std::string& process,
                                                           const std::string& target)>;

/// The value under a key, or an empty one if it is missing or of another type.
std::string text_at(const nlohmann::json& from, const char* key);
std::uint64_t number_at(const nlohmann::json& from, const char* key);
bool flag_at(const nlohmann::json& from, const char* key);
/// The array under a key; an empty one if there is none.
const nlohmann::json& rows_at(const nlohmann::json& from, const char* key);
/// The object under a key; an empty one if there is none.
const nlohmann::json& object_at(const nlohmann::json& from, const char* key);

/// "HOST.NODE: why": for lists of nodes that did not answer.
std::string node_note(const std::string& process, const bus::Error& error);

}  // namespace starbus::bustop
