// Keeping the lists sorted: who has gone beyond the slack, who is new, and all at once.
#include <algorithm>
#include <cmath>

#include "aoi/cross_index.hpp"

namespace starbus::aoi {
namespace {

// To walk farther than so many reaches costs more than to be inserted anew.
constexpr float kFar = 2;
// When more than one in so many has to be inserted, all lists are made anew.
constexpr std::size_t kManyShare = 8;
// When more than one in so many has moved, nearly every sensor has somebody to look at.
constexpr std::size_t kMovedShare = 4;

}  // namespace

void CrossIndex::consider_both(EntityIndex a, EntityIndex b) {
  if (scene_.observable[b] != 0) each_sensor(a, [&](SensorIndex sensor) { consider(sensor, b); });
  if (scene_.observable[a] != 0) each_sensor(b, [&](SensorIndex sensor) { consider(sensor, a); });
}

void CrossIndex::take_nodes(EntityIndex entity) {
  const bool listed = anchored_[entity].listed;
  for (AxisList& axis : axes_) {
    if (listed && scene_.observable[entity] != 0) axis.erase(Ref(Kind::centre, entity));
    each_sensor(entity, [&](SensorIndex sensor) {
      if (!sensings_[sensor].listed) return;
      axis.erase(Ref(Kind::lower, sensor));
      axis.erase(Ref(Kind::upper, sensor));
    });
  }
  each_sensor(entity, [&](SensorIndex sensor) { sensings_[sensor].listed = false; });
  anchored_[entity].listed = false;
}

void CrossIndex::settle_waiting() {
  std::erase_if(waiting_, [&](EntityIndex entity) { return !anchored_[entity].waiting; });
  const auto far = static_cast<std::size_t>(
      std::count_if(waiting_.begin(), waiting_.end(), [&](EntityIndex entity) {
        Anchored& state = anchored_[entity];
        const float dx = std::fabs(points_[entity].x - anchors_[entity].x);
        const float dy = std::fabs(points_[entity].y - anchors_[entity].y);
        state.far = state.far || std::max(dx, dy) > kFar * reach_;
        return state.far;
      }));
  if (far * kManyShare > known_) {
    rebuild();
  } else {
    for (const EntityIndex entity : waiting_) {
      anchored_[entity].far ? put_anew(entity) : shift(entity);
    }
  }
  for (const EntityIndex entity : waiting_) {
    touch_around(entity, true);
    anchored_[entity].waiting = anchored_[entity].far = false;
  }
  waiting_.clear();
}

// The bound that leads and the centre find new candidates; the bound that trails finds none.
void CrossIndex::shift(EntityIndex entity) {
  const Point old = anchors_[entity];
  anchors_[entity] = points_[entity];
  for (std::size_t which = 0; which < axes_.size(); ++which) {
    AxisList& axis = axes_[which];
    const float key = anchors_[entity].on(which);
    if (key == old.on(which)) continue;
    const bool up = key > old.on(which);
    const auto nothing = [](std::uint32_t) {};
    each_sensor(entity, [&](SensorIndex sensor) {
      const float bound = sensings_[sensor].bound;
      const auto found = [&](std::uint32_t target) { consider(sensor, target); };
      const Ref upper(Kind::upper, sensor);
      const Ref lower(Kind::lower, sensor);
      if (up) {
        axis.shift(upper, key + bound, Kind::centre, found);
        axis.shift(lower, key - bound, Kind::centre, nothing);
      } else {
        axis.shift(lower, key - bound, Kind::centre, found);
        axis.shift(upper, key + bound, Kind::centre, nothing);
      }
    });
    if (scene_.observable[entity] == 0) continue;
    axis.shift(Ref(Kind::centre, entity), key, up ? Kind::lower : Kind::upper,
               [&](std::uint32_t sensor) { consider(sensor, entity); });
  }
}

void CrossIndex::put_anew(EntityIndex entity) {
  take_nodes(entity);
  anchors_[entity] = points_[entity];
  const Point& at = anchors_[entity];
  for (std::size_t which = 0; which < axes_.size(); ++which) {
    const float key = at.on(which);
    if (scene_.observable[entity] != 0) axes_[which].insert(Ref(Kind::centre, entity), key);
    each_sensor(entity, [&](SensorIndex sensor) {
      axes_[which].insert(Ref(Kind::lower, sensor), key - sensings_[sensor].bound);
      axes_[which].insert(Ref(Kind::upper, sensor), key + sensings_[sensor].bound);
    });
  }
  anchored_[entity].listed = true;
  each_sensor(entity, [&](SensorIndex sensor) {
    sensings_[sensor].listed = true;
    const float bound = sensings_[sensor].bound;
    axes_[0].visit(at.x - bound, at.x + bound, [&](Ref ref) {
      if (ref.kind() == Kind::centre) consider(sensor, ref.index());
    });
  });
  if (scene_.observable[entity] == 0) return;
  // Whose lower bound is so near can hold it; the upper bound is checked with the rest.
  axes_[0].visit(at.x - 2 * widest_, at.x, [&](Ref ref) {
    if (ref.kind() == Kind::lower) consider(ref.index(), entity);
  });
}

// All lists at once, and one sweep along x for all candidates.
void CrossIndex::rebuild() {
  std::vector<AxisList::Node> nodes[2];
  std::vector<EntityIndex> order;
  widest_ = 0;
  for (EntityIndex entity = 0; entity < anchored_.size(); ++entity) {
    if (!anchored_[entity].known) continue;
    anchors_[entity] = points_[entity];
    anchored_[entity].listed = true;
    order.push_back(entity);
    for (std::size_t which = 0; which < 2; ++which) {
      const float key = anchors_[entity].on(which);
      if (scene_.observable[entity] != 0) {
        nodes[which].push_back({key, Ref(Kind::centre, entity)});
      }
      each_sensor(entity, [&](SensorIndex sensor) {
        const float bound = sensings_[sensor].bound;
        sensings_[sensor].listed = true;
        sensings_[sensor].suspects += static_cast<std::uint32_t>(sensings_[sensor].entries.size());
        widest_ = std::max(widest_, bound);
        nodes[which].push_back({key - bound, Ref(Kind::lower, sensor)});
        nodes[which].push_back({key + bound, Ref(Kind::upper, sensor)});
      });
    }
  }
  axes_[0].assign(std::move(nodes[0]));
  axes_[1].assign(std::move(nodes[1]));
  std::sort(order.begin(), order.end(), [&](EntityIndex a, EntityIndex b) {
    return anchors_[a].x != anchors_[b].x ? anchors_[a].x < anchors_[b].x : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Point& from = anchors_[order[i]];
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Point& to = anchors_[order[j]];
      if (to.x - from.x > widest_) break;
      if (std::fabs(to.y - from.y) <= widest_) consider_both(order[i], order[j]);
    }
  }
}

void CrossIndex::settle_moved() {
  const bool many = moved_.size() * kMovedShare > known_;
  for (const EntityIndex entity : moved_) {
    if (!anchored_[entity].moved) continue;
    anchored_[entity].moved = false;
    if (!many) touch_around(entity, false);
  }
  moved_.clear();
  if (!many) return;
  for (SensorIndex sensor = 0; sensor < sensings_.size(); ++sensor) {
    if (sensings_[sensor].attached) touch(sensor, 0);
  }
}

}  // namespace starbus::aoi
