#pragma once

#include <string_view>
#include <system_error>

namespace starbus {

/// Writes all bytes to a descriptor, in as many calls as it takes; goes on after a signal. Returns
/// the error of the system, after which some of the bytes may be written: a full disk (ENOSPC), or
/// EAGAIN of a descriptor that does not block. Blocks. Any thread.
[[nodiscard]] std::error_code write_all(int descriptor, std::string_view bytes);

}  // namespace starbus
