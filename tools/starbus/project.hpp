/// Writes a new project from the templates that are part of the program: a small game with
/// services, accounts, players and a page that plays (docs/guide/tutorial.md).
///
/// All or nothing: the project is written to a hidden folder beside its place and then renamed, so
/// a failure leaves nothing behind, and existing files are never touched. Plain functions; used by
/// one thread. Errors are values.
#pragma once

#include <boost/system/result.hpp>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starbus::starter {

inline constexpr std::size_t kMaxProjectName = 32;  // bytes: it is part of the paths of sockets

enum class Errc {
  bad_name,  // of the project; nothing was written
  exists,    // something is there already; nothing was changed
  io_error,  // what was written before it is gone again
};
struct Error {
  Errc code;
  std::string detail;
  std::string to_string() const;
};
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw std::logic_error(error.to_string());
}
using Status = boost::system::result<void, Error>;

/// One file of the template, by its path within the project.
struct TemplateFile {
  std::string_view path;
  std::string_view text;
};
/// All of them; from template/, written when the build is configured.
std::span<const TemplateFile> template_files();

/// 1..kMaxProjectName of a-z 0-9 _ -, a letter first, a letter or a digit last.
Status check_project_name(std::string_view name);

/// Creates `parent`/`name`. Replaces @NAME@ and @VERSION@ (of starbus) in the files.
Status write_project(const std::filesystem::path& parent, const std::string& name,
                     std::span<const TemplateFile> files = template_files());

}  // namespace starbus::starter
