#include "daemon/admin/at_route.hpp"

#include <limits>
#include <string_view>
#include <utility>

#include "daemon/admin/router_report.hpp"

namespace starbus::daemon {
namespace {

constexpr std::size_t kLongestPath = std::numeric_limits<std::uint8_t>::max();

}  // namespace

Result<AtRequest> parse_at(const Request& request) {
  const std::string_view rest =
      std::string_view(request.path).substr(std::string_view(kAtRoute).size());
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string_view::npos) {
    return Error{bus::Errc::bad_name, "path: not of the form /at/TARGET/PATH"};
  }
  AtRequest at{std::string(rest.substr(0, slash)), std::string(rest.substr(slash))};
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    at.path += separator;
    at.path.append(percent_encode(name)).append("=").append(percent_encode(value));
    separator = '&';
  }
  if (at.path.size() > kLongestPath) {
    return Error{bus::Errc::too_large, "a path over the bus has at most 255 bytes"};
  }
  return at;
}

void SharedRoutes::add(const std::string& path, Route route) {
  server_.get(path, route);
  routes_[path] = std::move(route);
}

Response SharedRoutes::answer(const std::string& path_and_query) const {
  auto target = parse_target(path_and_query);
  if (!target) return error_response({bus::Errc::bad_name, "not a path"});
  const auto found = routes_.find(target->path);
  if (found == routes_.end()) {
    return error_response({bus::Errc::no_owner, "no route " + target->path});
  }
  return found->second({"GET", target->path, std::move(target->query), {}});
}

}  // namespace starbus::daemon
