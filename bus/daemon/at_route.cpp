#include "bus/daemon/at_route.hpp"

#include <limits>
#include <string_view>

namespace starbus::bus::daemon {
namespace {

constexpr std::size_t kLongestPath = std::numeric_limits<std::uint8_t>::max();

}  // namespace

Result<AtRequest> parse_at(const Request& request) {
  const std::string_view rest =
      std::string_view(request.path).substr(std::string_view(kAtRoute).size());
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string_view::npos) {
    return Error{Errc::bad_name, "not of the form /at/TARGET/PATH"};
  }
  AtRequest at{std::string(rest.substr(0, slash)), std::string(rest.substr(slash))};
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    at.path += separator;
    at.path.append(percent_encode(name)).append("=").append(percent_encode(value));
    separator = '&';
  }
  if (at.path.size() > kLongestPath) {
    return Error{Errc::too_large, "a path over the bus has at most 255 bytes"};
  }
  return at;
}

}  // namespace starbus::bus::daemon
