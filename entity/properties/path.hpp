#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "entity/properties/schema.hpp"

namespace starbus::entity {

/// "items[1001].count" in steps; unknown_path if it is malformed.
DataResult<std::vector<PathStep>> parse_path(std::string_view path);
/// The path of the field at an address, which must be one of this schema.
std::string path_text(const Schema& schema, ByteView address);

}  // namespace starbus::entity
