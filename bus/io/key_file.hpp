/// CURVE keys on disk: text files of one line, so that people can look at them and copy them.
///
///   NAME.key   starbus-curve-secret <40 characters of Z85>    mode 0600
///   NAME.pub   starbus-curve-public <40 characters of Z85>    mode 0644
///
/// Plain functions, any thread. io_error when the operating system refuses or when others may read
/// a secret (the detail names the command that cures it); bad_config when the text is not a key.
/// Details never hold key material.
#pragma once

#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "bus/io/link.hpp"

namespace starbus::bus::io {

/// Both halves: the public one is computed. Refuses a file that group or others may read or write.
Result<CurveKeys> read_secret_key_file(const std::string& path);
Result<std::string> read_public_key_file(const std::string& path);

enum class Overwrite { no, yes };
/// Whole or not at all: the file is written under another name, synced and moved into its place.
/// io_error if it exists and Overwrite is `no`.
Result<> write_secret_key_file(const std::string& path, const std::string& secret_key,
                               Overwrite overwrite = Overwrite::no);
Result<> write_public_key_file(const std::string& path, const std::string& public_key,
                               Overwrite overwrite = Overwrite::no);

/// 40 characters of the Z85 alphabet.
bool is_curve_key(std::string_view text);

}  // namespace starbus::bus::io
