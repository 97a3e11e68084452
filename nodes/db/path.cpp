#include "nodes/db/path.hpp"

#include "base/numbers.hpp"
#include "bus/core/utf8.hpp"
#include "nodes/db/limits.hpp"

namespace starbus::nodes::db {
namespace {

const Json* step(const Json& at, const std::string& name) {
  if (at.is_object()) {
    const auto found = at.find(name);
    return found == at.end() ? nullptr : &*found;
  }
  if (!at.is_array()) return nullptr;
  const auto element = element_of(name, at.size());
  return element ? &at[*element] : nullptr;
}

void copy_along(const Json& from, const Path& path, std::size_t depth, Json& to) {
  const auto found = from.find(path[depth]);
  if (found == from.end()) return;
  if (depth + 1 == path.size()) {
    to[path[depth]] = *found;
  } else if (found->is_object()) {
    Json inner = to.value(path[depth], Json::object());
    copy_along(*found, path, depth + 1, inner);
    if (!inner.empty()) to[path[depth]] = std::move(inner);
  }
}

}  // namespace

Result<Path> parse_path(std::string_view text) {
  if (text.size() > kMaxPath) return Error(Errc::bad_request, "path too long");
  if (!bus::is_utf8(text)) return Error(Errc::bad_request, "path is not UTF-8");
  Path path;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    if (end == begin) return Error(Errc::bad_request, "path has an empty name");
    path.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (path.size() > kMaxPathDepth) return Error(Errc::bad_request, "path too deep");
  return path;
}

std::optional<std::size_t> element_of(std::string_view name, std::size_t size) {
  const auto number = parse_number<std::size_t>(name);
  if (!number || *number >= size || (name.size() > 1 && name.front() == '0')) return std::nullopt;
  return number;
}

const Json* look_up(const Json& document, const Path& path) {
  const Json* at = &document;
  for (const std::string& name : path) {
    at = step(*at, name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

Json* look_up(Json& document, const Path& path) {
  return const_cast<Json*>(look_up(std::as_const(document), path));  // NOLINT: it came mutable
}

Json project(const Json& document, const std::vector<Path>& paths) {
  if (paths.empty()) return document;
  Json part = Json::object();
  for (const Path& path : paths) copy_along(document, path, 0, part);
  return part;
}

}  // namespace starbus::nodes::db
