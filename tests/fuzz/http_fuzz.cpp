/// What of an admin request is decoded by us and not by Beast: the target with its query, and the
/// way to another daemon in it.
#include "daemon/admin/admin_http.hpp"
#include "daemon/admin/at_route.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  using namespace starbus::daemon;
  const std::string_view text = as_text(fuzz_input(data, size));
  const auto target = parse_target(text);
  if (!target) return 0;
  require(text.starts_with('/') && target->path.starts_with('/'));
  // Written again, it is understood the same.
  std::string again;
  for (const auto& [name, value] : target->query) {
    again += again.empty() ? '?' : '&';
    again += percent_encode(name) + '=' + percent_encode(value);
  }
  const auto twice = parse_target("/" + again);
  require(twice && twice->query == target->query);
  Request request;
  request.path = target->path;
  request.query = target->query;
  for (const auto& [name, value] : target->query) require(request.parameter(name).has_value());
  if (!request.path.starts_with(kAtRoute)) return 0;
  if (const auto at = parse_at(request)) {
    require(!at->target.empty() && at->path.starts_with('/') && at->path.size() <= 255);
  }
  return 0;
}
