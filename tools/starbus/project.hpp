/// Writes a new project from one of the templates that are part of the program: small games over
/// two hosts, with a page that plays (docs/guide/tutorial.md, docs/guide/tutorial-spaces.md).
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
  bad_name,      // of the project; nothing was written
  bad_template,  // there is none of that name; nothing was written
  exists,        // something is there already; nothing was changed
  io_error,      // what was written before it is gone again
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

/// One file of a template, by its path within the project.
struct TemplateFile {
  std::string_view path;
  std::string_view text;
};
/// What a project can begin with: the files of all templates, and its own.
struct Template {
  std::string_view name;
  std::string_view about;  // one line
  std::span<const TemplateFile> common;
  std::span<const TemplateFile> own;
};
/// All of them, the default first; from templates/, written when the build is configured.
std::span<const Template> templates();
/// The one of that name; bad_template: there is none, and the text names those that are there.
boost::system::result<const Template*, Error> find_template(std::string_view name);

/// 1..kMaxProjectName of a-z 0-9 _ -, a letter first, a letter or a digit last.
Status check_project_name(std::string_view name);

/// Creates `parent`/`name`. Replaces @NAME@ and @VERSION@ (of starbus) in the files.
Status write_project(const std::filesystem::path& parent, const std::string& name,
                     const Template& from = templates().front());

}  // namespace starbus::starter
