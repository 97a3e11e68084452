#include "nav/ground.hpp"

#include <limits>

namespace starbus::nav {

Result<void> Search::find(const PathRequest& request, Path& out) {
  if (auto begun = begin(request); !begun) return begun;
  const Result<bool> ended = advance(std::numeric_limits<std::uint32_t>::max());
  if (!ended) return ended.error();
  return path(out);
}

std::size_t Ground::walls_near(const Place&, float, AgentId, std::span<Wall>) const {
  return 0;
}

}  // namespace starbus::nav
