#include "tools/starbus/project.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace starbus::starter {
namespace {

namespace fs = std::filesystem;

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_mark(char c) {
  return c == '_' || c == '-';
}

Error failed(const fs::path& path, int number) {
  return {Errc::io_error, path.string() + ": " + std::strerror(number)};
}

/// The folder that a project is written to first; gone again unless it has become the project.
class Draft {
 public:
  Draft() = default;
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  /// Beside its place, so that it is on the same file system.
  Status make(const fs::path& parent, const std::string& name) {
    std::string pattern = (parent / ("." + name + ".XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) return failed(parent, errno);
    folder_ = pattern;
    return {};
  }
  /// Refuses a target that exists, also one that appeared a moment ago.
  Status become(const fs::path& target) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::chmod(folder_.c_str(), 0777 & ~mask) != 0) return failed(folder_, errno);
    if (::renameat2(AT_FDCWD, folder_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) != 0) {
      if (errno == EEXIST) return Error{Errc::exists, target.string()};
      return failed(target, errno);
    }
    folder_.clear();
    return {};
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

void replace_all(std::string& text, std::string_view mark, std::string_view value) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) {
    text.replace(at, mark.size(), value);
  }
}

Status write_file(const fs::path& path, std::string_view text) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  if (failure) return failed(path.parent_path(), failure.value());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return failed(path, errno);
  if (!text.starts_with("#!")) return {};
  constexpr auto kExecute = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(path, kExecute, fs::perm_options::add, failure);
  if (failure) return failed(path, failure.value());
  return {};
}

}  // namespace

std::string Error::to_string() const {
  switch (code) {
    case Errc::bad_name:
      return "bad_name: " + detail;
    case Errc::bad_template:
      return "bad_template: " + detail;
    case Errc::exists:
      return "exists: " + detail + " is there already, and was not touched";
    case Errc::io_error:
      return "io_error: " + detail;
  }
  return detail;
}

Status check_project_name(std::string_view name) {
  const auto allowed = [](char c) { return is_letter(c) || is_digit(c) || is_mark(c); };
  if (name.empty() || name.size() > kMaxProjectName || !std::ranges::all_of(name, allowed) ||
      !is_letter(name.front()) || is_mark(name.back())) {
    return Error{Errc::bad_name, "'" + std::string(name) + "': a project is 1.." +
                                     std::to_string(kMaxProjectName) +
                                     " of a-z 0-9 _ -, a letter first, a letter or a digit last"};
  }
  return {};
}

boost::system::result<const Template*, Error> find_template(std::string_view name) {
  std::string known;
  for (const Template& each : templates()) {
    if (each.name == name) return &each;
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  return Error{Errc::bad_template, "'" + std::string(name) + "': the templates are " + known};
}

Status write_project(const fs::path& parent, const std::string& name, const Template& from) {
  if (auto checked = check_project_name(name); !checked) return checked;
  const fs::path target = parent / name;
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(target, ignored))) {
    return Error{Errc::exists, target.string()};
  }
  Draft draft;
  if (auto made = draft.make(parent, name); !made) return made;
  for (const auto& files : {from.common, from.own}) {
    for (const TemplateFile& file : files) {
      std::string text(file.text);
      replace_all(text, "@NAME@", name);
      replace_all(text, "@VERSION@", STARBUS_VERSION);
      if (auto written = write_file(draft.folder() / file.path, text); !written) return written;
    }
  }
  return draft.become(target);
}

}  // namespace starbus::starter
