#pragma once

#include <filesystem>
#include <system_error>

namespace starbus::mail_tool {

/// Copies one file of a folder that others may write, durably, into a new file `to` that only this
/// user may use, whatever the mode of `from`. Follows no link at either end; what is no file of its
/// own is too_many_symbolic_link_levels or not_supported. Blocks for the disk.
std::error_code copy_plain_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace starbus::mail_tool
