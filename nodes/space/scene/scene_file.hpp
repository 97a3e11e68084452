/// Reads a scene from a data file, strictly: what is wrong is named with file, line, column and
/// what to write. docs/guide/scenes.md has the keys. Pure but for the file; any thread.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "daemon/config/config.hpp"
#include "nodes/space/scene/scene_data.hpp"

namespace starbus::nodes::space {

/// The tables [[spawn]], [[trap]], [[portal]] and [[quest]]; problems are noted in the reader.
SceneData read_scene(daemon::ConfigReader& reader);

/// bad_config: all problems of the file, one per line.
Result<SceneData> load_scene(const std::filesystem::path& file);

}  // namespace starbus::nodes::space
