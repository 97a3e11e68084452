/// Checks of names, ids and whole requests before they are taken. Pure; any thread.
#pragma once

#include <string_view>

#include "nodes/db/database.hpp"

namespace starbus::nodes::db {

/// Checks the name of a collection or an index: 1..kMaxName letters, digits, '_', '-' and '.'.
Result<> check_name(std::string_view name);
/// 1..most bytes of UTF-8.
Result<> check_text(std::string_view text, std::size_t most);
Result<> check_id(std::string_view id);

/// Checks all that can be checked without the store: bad_request, bad_document, wrong_type,
/// too_large. Returns its weight, in bytes of documents.
Result<std::size_t> check_request(const WriteRequest& request);
Result<std::vector<Path>> check_paths(const std::vector<std::string>& paths);

}  // namespace starbus::nodes::db
