#include "nodes/db/names.hpp"

#include <algorithm>

#include "bus/core/utf8.hpp"
#include "nodes/db/limits.hpp"

namespace starbus::nodes::db {
namespace {

bool may_be_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

Result<std::size_t> weigh(const Insert& write) {
  return check_document(write.document);
}
Result<std::size_t> weigh(const Put& write) {
  return check_document(write.document);
}
Result<std::size_t> weigh(const Update& write) {
  return check_changes(write.changes);
}
Result<std::size_t> weigh(const Erase&) {
  return 0;
}

}  // namespace

Result<> check_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxName || !std::ranges::all_of(name, may_be_in_name)) {
    return Error(Errc::bad_request, "a name has 1..64 letters, digits, '_', '-' and '.'");
  }
  return {};
}

Result<> check_text(std::string_view text, std::size_t most) {
  if (text.empty() || text.size() > most || !bus::is_utf8(text)) {
    return Error(Errc::bad_request, "an id has 1.." + std::to_string(most) + " bytes of UTF-8");
  }
  return {};
}

Result<> check_id(std::string_view id) {
  return check_text(id, kMaxId);
}

Result<std::size_t> check_request(const WriteRequest& request) {
  if (!request.request_id.empty()) {
    if (const auto id = check_text(request.request_id, kMaxName); !id) return id.error();
  }
  if (request.writes.empty()) return Error(Errc::bad_request, "request without writes");
  if (request.writes.size() > kMaxWrites) return Error(Errc::too_large, "too many writes");
  std::size_t bytes = 0;
  for (const Write& write : request.writes) {
    const auto weight = std::visit(
        [](const auto& one) -> Result<std::size_t> {
          if (const auto name = check_name(one.collection); !name) return name.error();
          if (const auto id = check_id(one.id); !id) return id.error();
          return weigh(one);
        },
        write);
    if (!weight) return weight.error();
    bytes += *weight;
  }
  if (bytes > kMaxRequest) return Error(Errc::too_large, "request too large: split it");
  return bytes;
}

Result<std::vector<Path>> check_paths(const std::vector<std::string>& paths) {
  if (paths.size() > kMaxPaths) return Error(Errc::too_large, "too many paths");
  std::vector<Path> parsed;
  for (const std::string& text : paths) {
    auto path = parse_path(text);
    if (!path) return path.error();
    parsed.push_back(std::move(*path));
  }
  return parsed;
}

}  // namespace starbus::nodes::db
