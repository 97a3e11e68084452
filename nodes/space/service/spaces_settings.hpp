/// The keys of `[spaces]`. Pure but for the files that it names; any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "daemon/config/config.hpp"
#include "nodes/space/types/space_type.hpp"

namespace starbus::nodes::space {

struct SpacesSettings {
  std::vector<std::filesystem::path> files;  // of types; a relative one: from the working folder
  SpaceTypes types;                          // of all of them
};

/// Reads the table and all files that it names; each problem of any of them is noted in the reader,
/// at the key `files`.
SpacesSettings read_spaces_settings(daemon::ConfigReader& reader);

}  // namespace starbus::nodes::space
