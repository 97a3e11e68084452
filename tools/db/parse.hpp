/// JSON from outside: lines of an export, and bounds on the command line.
///
/// Copying, comparing or printing a value recurses into it, so values deeper than a document may be
/// are refused while they are parsed. Pure functions; any thread.
#pragma once

#include <string_view>

#include "nodes/db/document.hpp"

namespace starbus::db_tool {

namespace db = nodes::db;

/// A value with documents of up to kMaxDepth levels in it. bad_request: not JSON; too_large.
db::Result<db::Json> parse_json(std::string_view text);

}  // namespace starbus::db_tool
