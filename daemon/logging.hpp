#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "daemon/config/config.hpp"

namespace spdlog {
class formatter;
}

namespace starbus::daemon {

/// The [log] table. Targets: "stderr", or the path of a file that is appended to.
struct LogConfig {
  std::string level = "info";   // trace, debug, info, warning, error, critical, off
  std::string format = "text";  // text, json
  std::string target = "stderr";
};

/// Reads the keys of LogConfig from `table`.
LogConfig read_log_config(ConfigReader table);

/// Makes spdlog's default logger write as `config` says, under `name` ("busd"). Every line is one
/// write(2), so lines of several threads never mix and nothing waits in a buffer at a crash. A full
/// disk drops lines; it never stops the daemon. Any thread may log; only the main thread starts,
/// reopens and changes the level. Errc::io_error when the file cannot be opened.
Result<> start_logging(const LogConfig& config, const std::string& name);

/// Errc::bad_config for a name that is not a level.
Result<> set_log_level(std::string_view level);
std::string log_level();

/// Writes one line about a change that somebody made, as a warning under the name "audit". No level
/// silences it. Any thread.
void log_audit(const std::string& text);

/// Opens the log file again after it was rotated away. Does nothing for stderr.
Result<> reopen_log();

/// One JSON object per line: time (UTC, milliseconds), level, logger, message. Always valid
/// JSON: bytes of the message that are not UTF-8 become U+FFFD.
std::unique_ptr<spdlog::formatter> make_json_formatter();

/// The form of a line of a text log.
enum class TextStyle {
  terminal,  // 2026-01-31T12:00:00.123Z warning busd: text
  journal,   // <4>busd: text, because journald has the time and reads the priority
};
/// One line per message: control characters are escaped, so a peer cannot forge lines or colours.
std::unique_ptr<spdlog::formatter> make_text_formatter(TextStyle style);

/// True when stderr is the journal's stream, as JOURNAL_STREAM (device:inode) says.
bool stderr_is_journal();

}  // namespace starbus::daemon
