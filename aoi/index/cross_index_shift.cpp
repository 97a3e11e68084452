// Keeps the lists sorted: shifts, insertions, and building them again.
#include <algorithm>
#include <cmath>

#include "aoi/index/cross_index.hpp"

namespace starbus::aoi {
namespace {

// Walking farther than so many reaches costs more than inserting again.
constexpr float kFarJump = 2;
// If more than one in so many must be inserted, all lists are built again.
constexpr std::size_t kManyShare = 8;
// If more than one in so many has moved, nearly every sensor must be evaluated.
constexpr std::size_t kMovedShare = 4;

}  // namespace

void CrossIndex::consider_both(EntityIndex a, EntityIndex b) {
  if (scene_.observable[b] != 0) each_sensor(a, [&](SensorIndex sensor) { consider(sensor, b); });
  if (scene_.observable[a] != 0) each_sensor(b, [&](SensorIndex sensor) { consider(sensor, a); });
}

AxisList::Node CrossIndex::node_of(EntityIndex entity, std::size_t which) const {
  const Point& at = anchors_[entity];
  return {at.on(which), at.on(1 - which), entity};
}

void CrossIndex::take_nodes(EntityIndex entity) {
  if (!anchored_[entity].listed) return;
  for (AxisList& axis : axes_) axis.erase(entity);
  anchored_[entity].listed = false;
}

void CrossIndex::settle_waiting() {
  std::erase_if(waiting_, [&](EntityIndex entity) { return !anchored_[entity].waiting; });
  const auto far = static_cast<std::size_t>(
      std::count_if(waiting_.begin(), waiting_.end(), [&](EntityIndex entity) {
        Anchored& state = anchored_[entity];
        const float dx = std::fabs(points_[entity].x - anchors_[entity].x);
        const float dy = std::fabs(points_[entity].y - anchors_[entity].y);
        state.far = state.far || std::max(dx, dy) > kFarJump * reach_;
        return state.far;
      }));
  if (far * kManyShare > known_) {
    rebuild();
  } else {
    for (const EntityIndex entity : waiting_) {
      anchored_[entity].far ? insert_again(entity) : shift(entity);
    }
  }
  for (const EntityIndex entity : waiting_) {
    mark_around(entity, true);
    anchored_[entity].waiting = anchored_[entity].far = false;
  }
  waiting_.clear();
}

void CrossIndex::shift(EntityIndex entity) {
  const Point old = anchors_[entity];
  anchors_[entity] = points_[entity];
  for (std::size_t which = 0; which < axes_.size(); ++which) {
    axes_[which].shift(node_of(entity, which));
  }
  for (const Width& width : widths_) {
    bool passes = scene_.observable[entity] != 0;
    each_sensor(entity, [&](SensorIndex sensor) {
      passes = passes || sensings_[sensor].bound == width.bound;
    });
    if (!passes) continue;
    for (std::size_t which = 0; which < axes_.size(); ++which) {
      pass(entity, which, old.on(which), width.bound);
    }
  }
}

// The bound ahead of the entity, if it has one of that width, passes new candidates. The bounds of
// that width that the entity passes itself belong to the same entities. The bound behind the entity
// finds none. The place where a bound was before is passed again, because it may have been rounded
// to the
// other side.
void CrossIndex::pass(EntityIndex entity, std::size_t which, float old, float bound) {
  const AxisList::Node node = node_of(entity, which);
  AxisList::Range keys{node.key - bound, node.key + bound};
  if (node.key > old) {
    keys.from = std::max(keys.from, old + bound - kRounding);
  } else if (node.key < old) {
    keys.to = std::min(keys.to, old - bound + kRounding);
  } else {
    return;
  }
  axes_[which].visit(keys, {node.other - bound, node.other + bound}, [&](EntityIndex other) {
    if (other != entity) consider_both(entity, other);
  });
}

void CrossIndex::insert_again(EntityIndex entity) {
  take_nodes(entity);
  anchors_[entity] = points_[entity];
  for (std::size_t which = 0; which < axes_.size(); ++which) {
    axes_[which].insert(node_of(entity, which));
  }
  anchored_[entity].listed = true;
  float bound = 0;
  each_sensor(entity,
              [&](SensorIndex sensor) { bound = std::max(bound, sensings_[sensor].bound); });
  if (scene_.observable[entity] != 0) bound = widest();
  const Point& at = anchors_[entity];
  axes_[0].visit({at.x - bound, at.x + bound}, {at.y - bound, at.y + bound},
                 [&](EntityIndex other) {
                   if (other != entity) consider_both(entity, other);
                 });
}

// Sorts all lists, and finds all candidates in one sweep along x.
void CrossIndex::rebuild() {
  std::vector<AxisList::Node> nodes[2];
  for (EntityIndex entity = 0; entity < anchored_.size(); ++entity) {
    if (!anchored_[entity].known) continue;
    anchors_[entity] = points_[entity];
    anchored_[entity].listed = true;
    for (std::size_t which = 0; which < 2; ++which) nodes[which].push_back(node_of(entity, which));
    each_sensor(entity, [&](SensorIndex sensor) {
      sensings_[sensor].suspects += static_cast<std::uint32_t>(sensings_[sensor].entries.size());
    });
  }
  for (std::size_t which = 0; which < 2; ++which) axes_[which].assign(nodes[which]);
  const std::vector<AxisList::Node>& along = nodes[0];
  const float bound = widest();
  for (std::size_t i = 0; i < along.size(); ++i) {
    for (std::size_t j = i + 1; j < along.size(); ++j) {
      if (along[j].key - along[i].key > bound) break;
      if (std::fabs(along[j].other - along[i].other) > bound) continue;
      consider_both(along[i].entity, along[j].entity);
    }
  }
}

void CrossIndex::settle_moved() {
  const bool many = moved_.size() * kMovedShare > known_;
  for (const EntityIndex entity : moved_) {
    if (!anchored_[entity].moved) continue;
    anchored_[entity].moved = false;
    if (!many) mark_around(entity, false);
  }
  moved_.clear();
  if (!many) return;
  for (SensorIndex sensor = 0; sensor < sensings_.size(); ++sensor) {
    if (sensings_[sensor].attached) mark_dirty(sensor, 0);
  }
}

}  // namespace starbus::aoi
