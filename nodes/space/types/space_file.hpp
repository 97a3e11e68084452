/// Reads types of spaces from data files, strictly: what is wrong is named with file, line, column
/// and what to write. docs/guide/spaces.md has the keys. Pure but for the files; any thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/config/config.hpp"
#include "nodes/space/types/space_type.hpp"

namespace starbus::nodes::space {

/// Adds each [[space]] of the reader's file to `types`; problems are noted in the reader.
void read_space_types(daemon::ConfigReader& reader, SpaceTypes& types);

/// bad_config: a `next` that names no type, or one whose places have keys, one problem per line.
Result<> check_next(const SpaceTypes& types);

/// The key `labels` of a table: of a type, what its nodes must have; of a node, what it has. Each
/// problem is noted in the table.
std::vector<std::string> read_labels(daemon::ConfigReader& table);

}  // namespace starbus::nodes::space
