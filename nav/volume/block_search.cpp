#include "nav/volume/block_search.hpp"

#include <algorithm>
#include <limits>

namespace starbus::nav::volume {
namespace {

std::uint64_t squared_gap(Voxel a, Voxel b) {
  const auto square = [](int from, int to) {
    const std::int64_t gap = std::int64_t{from} - to;
    return static_cast<std::uint64_t>(gap * gap);
  };
  return square(a.x, b.x) + square(a.y, b.y) + square(a.z, b.z);
}

}  // namespace

Result<void> BlockSearch::begin(const Layer& layer, const VoxelRequest& request) {
  state_ = State::none;
  layer_ = &layer;
  version_ = layer.version();
  const bool plain = request.algorithm == Algorithm::dijkstra;
  if (!plain && request.algorithm != Algorithm::automatic &&
      request.algorithm != Algorithm::a_star) {
    return Errc::bad_option;
  }
  if (request.weight < 100) return Error(Errc::bad_option, "weight");
  if (request.weight > kMaxWeight) return Error(Errc::too_large, "kMaxWeight");
  if (request.weight != 100 && request.algorithm != Algorithm::a_star) return Errc::bad_option;
  const SparseOctree& tree = layer.tree();
  if (!layer.free(request.from)) return Errc::bad_start;
  if (!tree.extent().contains(request.to)) return Errc::bad_goal;
  const Block from = tree.at(request.from);
  goal_ = target_ = request.to;
  if (!layer.connected(request.from, request.to)) {
    if (!request.partial) return layer.free(request.to) ? Errc::unreachable : Errc::bad_goal;
    constexpr double kAnywhere = std::numeric_limits<double>::infinity();
    const std::array<double, 3> middle{goal_.x + 0.5, goal_.y + 0.5, goal_.z + 0.5};
    // There is one: the start itself can be reached.
    target_ = *layer.nearest(middle, {kAnywhere, kAnywhere, kAnywhere}, layer.part(from));
  }
  start_ = request.from;
  weight_ = plain || layer.links().short_cut() ? 0 : request.weight;
  expanded_ = 0;
  too_far_ = full_ = false;
  last_ = kNone;
  best_target_ = std::numeric_limits<std::uint64_t>::max();
  nearest_ = 0;
  nearest_gap_ = std::numeric_limits<std::uint64_t>::max();
  table_.start();
  neighbours_.clear();
  labels_.clear();
  open_.clear();
  state_ = State::running;
  reach(kNone, 0, table_.find(from), start_, kNone);
  return {};
}

Result<bool> BlockSearch::advance(std::uint32_t budget) {
  if (state_ == State::none) return Errc::not_ready;
  if (layer_->version() != version_) return Errc::changed;
  if (state_ == State::running && !run(budget)) return false;
  if (state_ == State::found) return true;
  // The target can be reached, so that only a bound can end the search.
  state_ = State::failed;
  if (full_) return Error(Errc::too_many, "kMaxLabels");
  return Errc::too_far;
}

bool BlockSearch::run(std::uint32_t budget) {
  while (!open_.empty() && !full_) {
    const std::uint32_t label = open_.front().label;
    if (labels_[label].useless) {
      std::pop_heap(open_.begin(), open_.end());
      open_.pop_back();
      continue;
    }
    if (label == last_) {
      state_ = State::found;
      return true;
    }
    if (budget-- == 0) return false;
    std::pop_heap(open_.begin(), open_.end());
    open_.pop_back();
    ++expanded_;
    labels_[label].expanded = true;
    note_nearest(label);
    expand(label);
  }
  state_ = State::failed;
  return true;
}

void BlockSearch::note_nearest(std::uint32_t label) {
  const std::uint64_t gap = squared_gap(labels_[label].at, target_);
  if (gap >= nearest_gap_) return;
  nearest_gap_ = gap;
  nearest_ = label;
}

void BlockSearch::expand(std::uint32_t number) {
  const Label label = labels_[number];
  const Block block = table_[label.cube].block;
  if (block.box().contains(target_)) {
    const std::uint64_t cost =
        label.cost + std::uint64_t{distance(label.at, target_)} * block.value;
    if (cost > kMaxPathCost) {
      too_far_ = true;
    } else if (cost < best_target_) {
      best_target_ = cost;
      if (last_ != kNone) labels_[last_].useless = true;
      last_ = static_cast<std::uint32_t>(labels_.size());
      add({static_cast<std::uint32_t>(cost), label.cube, number, kNone, kNone, target_});
    }
  }
  const Links& links = layer_->links();
  if (!links.empty()) {
    for (const Links::Leg& leg : links.from(layer_->tree().chunks().index(block.low))) {
      if (!block.box().contains(leg.from)) continue;
      const std::uint64_t cost =
          label.cost + std::uint64_t{distance(label.at, leg.from)} * block.value + leg.cost;
      const auto index = static_cast<std::uint32_t>(&leg - links.legs().data());
      reach(number, cost, table_.find(layer_->tree().at(leg.to)), leg.to, index);
    }
  }
  if (table_[label.cube].beside == kNone) list_neighbours(label.cube);
  const BlockTable::Entry entry = table_[label.cube];
  for (std::uint32_t i = 0; i < entry.count && !full_; ++i) {
    enter(number, neighbours_[entry.beside + i]);
  }
}

// A cube is expanded by several labels, and has thousands of neighbours if it is large: they are
// looked for once.
void BlockSearch::list_neighbours(std::uint32_t cube) {
  const Block block = table_[cube].block;
  const auto first = static_cast<std::uint32_t>(neighbours_.size());
  for (Face face = 0; face < kFaces; ++face) {
    layer_->tree().each_neighbour(block, face, [&](const Block& beyond, Voxel, std::uint8_t) {
      if (beyond.value != 0) neighbours_.push_back(table_.find(beyond));
    });
  }
  table_[cube].beside = first;
  table_[cube].count = static_cast<std::uint32_t>(neighbours_.size()) - first;
}

// Enters a cube that shares a part of a face.
void BlockSearch::enter(std::uint32_t from, std::uint32_t cube) {
  const Voxel at = labels_[from].at;
  const std::uint64_t cost = labels_[from].cost;
  const Block& here = table_[labels_[from].cube].block;
  const Block beyond = table_[cube].block;
  const std::uint8_t cost_here = here.value;
  const auto through = [&](Voxel gate) {
    reach(from, cost + (distance(at, gate) - 1) * std::uint64_t{cost_here} + beyond.value, cube,
          gate, kNone);
  };
  const VoxelBox box = beyond.box();
  const Voxel gate = box.gate(at);
  // The voxels behind the part of the face that both share.
  VoxelBox part = here.box();
  if (gate.x < part.x0 || gate.x >= part.x1) {
    part.x0 = gate.x;
    part.x1 = gate.x + 1u;
  } else if (gate.y < part.y0 || gate.y >= part.y1) {
    part.y0 = gate.y;
    part.y1 = gate.y + 1u;
  } else {
    part.z0 = gate.z;
    part.z1 = gate.z + 1u;
  }
  through(gate);
  if (beyond.value <= cost_here) return;
  const Voxel other = part.intersection(box).gate(target_);
  if (other != gate) through(other);
}

void BlockSearch::reach(std::uint32_t from, std::uint64_t cost, std::uint32_t cube, Voxel at,
                        std::uint32_t leg) {
  if (cost > kMaxPathCost) {
    too_far_ = true;
    return;
  }
  const std::uint64_t value = table_[cube].block.value;
  std::uint32_t* link = &table_[cube].head;
  while (*link != kNone) {
    Label& other = labels_[*link];
    const std::uint64_t between = distance(other.at, at) * value;
    if (other.cost + between <= cost) return;
    if (cost + between <= other.cost) {
      other.useless = true;
      *link = other.next;
    } else {
      link = &other.next;
    }
  }
  if (labels_.size() == kMaxLabels) {
    full_ = true;
    return;
  }
  *link = static_cast<std::uint32_t>(labels_.size());
  add({static_cast<std::uint32_t>(cost), cube, from, kNone, leg, at});
}

void BlockSearch::add(const Label& label) {
  const std::uint32_t left = distance(label.at, target_) * layer_->least_cost();
  open_.push_back({label.cost + std::uint64_t{left} * weight_ / 100, left,
                   static_cast<std::uint32_t>(labels_.size())});
  labels_.push_back(label);
  std::push_heap(open_.begin(), open_.end());
}

std::uint32_t BlockSearch::end() const {
  return found() ? last_ : nearest_;
}

std::uint64_t BlockSearch::cost() const {
  return state_ == State::none ? 0 : labels_[end()].cost;
}

Result<void> BlockSearch::path(std::vector<Voxel>& out, std::vector<VoxelStep>& links) const {
  if (state_ == State::none) return Errc::not_ready;
  if (layer_->version() != version_) return Errc::changed;
  out.clear();
  links.clear();
  const auto push = [&](Voxel voxel) {
    if (out.empty() || out.back() != voxel) out.push_back(voxel);
  };
  // From the end on. Where a way leaves a cube it stands before the face, which is a place of its
  // own: from there on it leads straight through the face.
  for (std::uint32_t number = end(); number != kNone; number = labels_[number].before) {
    const Label& label = labels_[number];
    push(label.at);
    if (label.before == kNone) break;
    const Label& before = labels_[label.before];
    if (label.leg != kNone) {
      const Links::Leg& leg = layer_->links().legs()[label.leg];
      links.push_back({static_cast<std::uint32_t>(out.size()), leg.number});
      out.push_back(leg.from);  // also one that a way back has just left
    } else {
      push(table_[before.cube].block.box().gate(label.at));
    }
  }
  std::ranges::reverse(out);
  std::ranges::reverse(links);
  for (VoxelStep& one : links) one.voxel = static_cast<std::uint32_t>(out.size()) - 1 - one.voxel;
  return {};
}

}  // namespace starbus::nav::volume
