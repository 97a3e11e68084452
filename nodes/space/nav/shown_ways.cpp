#include "nodes/space/nav/shown_ways.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "nodes/space/nav/limits.hpp"

namespace starbus::nodes::crowds {

void ShownWays::look(std::chrono::nanoseconds now) {
  until_ = now + kLook;
}

void ShownWays::take(std::vector<Way> ways) {
  ways_.clear();
  for (Way& way : ways) ways_[way.walker] = std::move(way.corners);
}

nlohmann::json ShownWays::shown(const ActorNav& actor, const WalkerName& walker) const {
  nlohmann::json nav = {{"task", name_of(actor.task())}, {"doing", name_of(actor.doing())}};
  const auto found = ways_.find(walker);
  if (found == ways_.end()) return nav;
  for (const Point& corner : found->second) nav["way"].push_back({corner.x, corner.y, corner.z});
  return nav;
}

}  // namespace starbus::nodes::crowds
