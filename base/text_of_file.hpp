/// Files that are read whole.
#pragma once

#include <filesystem>
#include <string>

namespace starbus {

/// What the file holds; "" if it cannot be read, also if that shows in its middle: a disk that
/// fails, a file of /proc whose process has ended. (A std::istreambuf_iterator throws then.) The
/// caller bounds what it reads by the choice of the file. Any thread.
std::string text_of_file(const std::filesystem::path& file);

}  // namespace starbus
