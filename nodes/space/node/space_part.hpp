/// What a host adds to its spaces besides the game's class: a crowd that walks its monsters, say.
///
///   host.add_part([&](GameSpace& space) { return std::make_unique<Weather>(space); });
///
/// A part belongs to its space, and ends before the hooks of the space's destructor; everything is
/// on the loop's thread. What a part throws is logged and counted as of a hook.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "entity/objects/entity.hpp"
#include "nodes/runtime/steps.hpp"
#include "nodes/space/node/tick_line.hpp"

namespace starbus::nodes::space {

class GameSpace;

class SpacePart {
 public:
  SpacePart() = default;
  SpacePart(const SpacePart&) = delete;
  SpacePart& operator=(const SpacePart&) = delete;
  virtual ~SpacePart() = default;

  /// Before on_start of the space, which waits for `done`. An error is a failed start.
  virtual void start(Done done) = 0;
  /// Once a tick, before on_before_tick.
  virtual void tick(const SpaceTick& tick) = 0;
  /// It has its place in aoi(), and none of its hooks has run. It leaves again if one refuses.
  virtual void enters(entity::Entity& entity) = 0;
  /// It leaves, or ends, or has moved.
  virtual void leaves(entity::Entity& entity) = 0;
  /// An operator looks at one that is there: adds to its row of /spaces/members.
  virtual void show(const entity::Entity& /*entity*/, nlohmann::json& /*row*/) {}
};

/// Null: that space has no such part.
using MakeSpacePart = std::function<std::unique_ptr<SpacePart>(GameSpace&)>;

}  // namespace starbus::nodes::space
