/// Dotted paths into documents: "bag.slots.3.count". Pure; any thread.
///
/// A path has 1..kMaxPathDepth names of UTF-8 that are not empty. On an object a name is a key; on
/// an array it is the decimal number of an element. So keys that are empty or have a dot are in no
/// path's reach.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/db/document.hpp"

namespace starbus::nodes::db {

using Path = std::vector<std::string>;

/// bad_request.
Result<Path> parse_path(std::string_view text);

/// The element that a name means; no value: no number of one of `size` elements.
std::optional<std::size_t> element_of(std::string_view name, std::size_t size);

/// Null: nothing is there. The pointer is into the document.
const Json* look_up(const Json& document, const Path& path);
Json* look_up(Json& document, const Path& path);

/// The part of the document that the paths name, in its place; no paths: the whole document.
/// Through objects alone: an array is there as a whole or not at all.
Json project(const Json& document, const std::vector<Path>& paths);

}  // namespace starbus::nodes::db
