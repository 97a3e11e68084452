/// The ways of the walkers of a space, for operators: as its crowd told them last, while somebody
/// looks. For SpaceNav alone; the loop's thread.
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "nodes/nav/messages.hpp"
#include "nodes/space/nav/actor_nav.hpp"

namespace starbus::nodes::crowds {

class ShownWays {
 public:
  /// Somebody looks, at this time of the space.
  void look(std::chrono::nanoseconds now);
  /// Whether the next batch is to ask for them.
  bool wanted(std::chrono::nanoseconds now) const { return now < until_; }
  /// Those of the latest answer, instead of what was told before.
  void take(std::vector<Way> ways);
  /// Its crowd is lost.
  void clear() { ways_.clear(); }
  /// What a walker is asked, and the way that was told of it, if it has one.
  nlohmann::json shown(const ActorNav& actor, const WalkerName& walker) const;

 private:
  std::chrono::nanoseconds until_{};
  std::map<WalkerName, std::vector<Point>> ways_;
};

}  // namespace starbus::nodes::crowds
