#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace starbus::bustop {

/// The output of --json: fields in the order in which they are set.
using OrderedJson = nlohmann::ordered_json;

/// Indented, or on one line, with a line feed at the end. ASCII only, so that no name can steer the
/// terminal; bytes that are not UTF-8 become U+FFFD.
std::string dump(const OrderedJson& json, bool one_line = false);

}  // namespace starbus::bustop
