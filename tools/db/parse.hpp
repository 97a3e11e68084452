/// JSON from outside: lines of an export, and bounds on the command line.
///
/// Whoever copies, compares or prints a value recurses into it, so that what is deeper than any
/// document may be is refused while it is read. Pure functions; any thread.
#pragma once

#include <string_view>

#include "nodes/db/document.hpp"

namespace starbus::db_tool {

namespace db = nodes::db;

/// A value with documents of up to kMaxDepth levels in it. bad_request: no JSON; too_large.
db::Result<db::Json> parse_json(std::string_view text);

}  // namespace starbus::db_tool
