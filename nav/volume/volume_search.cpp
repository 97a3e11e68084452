#include "nav/volume/volume_search.hpp"

#include "nav/checks.hpp"
#include "nav/volume/line.hpp"

namespace starbus::nav::volume {
namespace {

// All voxels on a way of moves between two, by x first, then by y, then by z. Without the first.
void add_moves(Voxel from, Voxel to, std::vector<Voxel>& out) {
  const auto along = [&](std::uint16_t Voxel::*axis) {
    while (from.*axis != to.*axis) {
      from.*axis = static_cast<std::uint16_t>(from.*axis + (from.*axis < to.*axis ? 1 : -1));
      out.push_back(from);
    }
  };
  along(&Voxel::x);
  along(&Voxel::y);
  along(&Voxel::z);
}

}  // namespace

Result<void> VolumeSearch::begin(const PathRequest& request) {
  begun_ = false;
  const Layer* const layer = ground_.layer(request.agent);
  if (layer == nullptr) return Errc::unknown_agent;
  if (auto fits = check(request); !fits) return fits;
  const auto from = ground_.voxel(request.from);
  const auto to = ground_.voxel(request.to);
  if (!from) return Errc::bad_start;
  if (!to) return Errc::bad_goal;
  auto begun =
      search_.begin(*layer, {*from, *to, request.algorithm, request.partial, request.weight});
  if (!begun) return begun;
  request_ = request;
  begun_ = true;
  return {};
}

Result<bool> VolumeSearch::advance(std::uint32_t budget) {
  if (!begun_) return Errc::not_ready;
  return search_.advance(budget);
}

Result<void> VolumeSearch::path(Path& out) {
  if (!begun_) return Errc::not_ready;
  if (auto found = search_.path(way_, links_); !found) return found;
  out.cost = search_.cost();
  out.expanded = search_.expanded();
  out.complete = search_.complete();
  out.version = ground_.version();
  smooth_between_links();
  write_points(out);
  return {};
}

void VolumeSearch::looked_at(std::vector<std::uint64_t>& out) const {
  out.clear();
  if (!begun_) return;
  search_.each_expanded([&](const Block& block) { out.push_back(ground_.piece(block)); });
}

void VolumeSearch::smooth(std::vector<Voxel>& way) const {
  if (request_.smoothing == Smoothing::none) {
    moves_.assign(1, way.front());
    for (std::size_t i = 1; i < way.size(); ++i) add_moves(way[i - 1], way[i], moves_);
    way.swap(moves_);
    return;
  }
  keep_corners(way);
  if (request_.smoothing == Smoothing::line_of_sight) {
    keep_sight(ground_.layer(request_.agent)->tree(), way);
  }
}

// The voxels at which links begin and end stay: that is where somebody jumps.
void VolumeSearch::smooth_between_links() {
  smoothed_.clear();
  std::size_t first = 0;
  const auto add = [&](std::size_t end) {
    part_.assign(way_.begin() + static_cast<std::ptrdiff_t>(first),
                 way_.begin() + static_cast<std::ptrdiff_t>(end));
    smooth(part_);
    smoothed_.insert(smoothed_.end(), part_.begin(), part_.end());
    first = end;
  };
  for (VoxelStep& one : links_) {
    add(one.voxel + 1);
    one.voxel = static_cast<std::uint32_t>(smoothed_.size() - 1);
  }
  add(way_.size());
  way_.swap(smoothed_);
}

// It begins and ends where was asked for, not in the middle of these voxels. From there to the
// middle nothing is in the way; whether that can be left out, a line shows.
void VolumeSearch::write_points(Path& out) const {
  const SparseOctree& tree = ground_.layer(request_.agent)->tree();
  const FinePoint start = ground_.fine(request_.from);
  FinePoint last = start;  // the last point written
  bool by_link = false;    // that is where a link ends
  auto link = links_.begin();
  out.points.clear();
  out.links.clear();
  out.points.push_back(request_.from.point);
  const auto write = [&](std::size_t i) {
    out.points.push_back(ground_.place(way_[i]).point);
    last = middle_of(way_[i]);
    by_link = false;
    if (link == links_.end() || link->voxel != i) return;
    out.links.push_back(
        {static_cast<std::uint32_t>(out.points.size() - 1), ground_.link_id(link->link)});
    by_link = true;
    ++link;
  };
  const bool begins_with_link = !links_.empty() && links_.front().voxel == 0;
  if (begins_with_link || (way_.size() > 1 && !sees(tree, start, middle_of(way_[1])))) write(0);
  const std::size_t end = out.complete ? way_.size() - 1 : way_.size();
  for (std::size_t i = 1; i < end; ++i) write(i);
  if (!out.complete) return;
  if (by_link || !sees(tree, last, ground_.fine(request_.to))) write(way_.size() - 1);
  out.points.push_back(request_.to.point);
}

}  // namespace starbus::nav::volume
