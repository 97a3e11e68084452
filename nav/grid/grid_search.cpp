#include "nav/grid/grid_search.hpp"

#include "nav/checks.hpp"
#include "nav/grid/line.hpp"

namespace starbus::nav::grid {

Result<void> GridSearch::begin(const PathRequest& request) {
  begun_ = false;
  const Layer* const layer = ground_.layer(request.agent);
  if (layer == nullptr) return Errc::unknown_agent;
  if (auto fits = check(request); !fits) return fits;
  const auto from = ground_.cell(request.from);
  const auto to = ground_.cell(request.to);
  if (!from) return Errc::bad_start;
  if (!to) return Errc::bad_goal;
  auto begun =
      search_.begin(*layer, {*from, *to, request.algorithm, request.partial, request.weight});
  if (!begun) return begun;
  request_ = request;
  begun_ = true;
  return {};
}

Result<bool> GridSearch::advance(std::uint32_t budget) {
  if (!begun_) return Errc::not_ready;
  return search_.advance(budget);
}

Result<void> GridSearch::path(Path& out) {
  if (!begun_) return Errc::not_ready;
  if (auto found = search_.path(cells_, links_); !found) return found;
  out.cost = search_.cost();
  out.expanded = search_.expanded();
  out.complete = search_.complete();
  out.version = ground_.version();
  links_.empty() ? smooth(cells_) : smooth_between_links();
  write_points(out);
  return {};
}

void GridSearch::looked_at(std::vector<std::uint64_t>& out) const {
  out.clear();
  if (!begun_) return;
  search_.each_expanded([&](Cell cell) { out.push_back(ground_.piece(cell)); });
}

void GridSearch::smooth(std::vector<Cell>& cells) const {
  if (request_.smoothing == Smoothing::corners) keep_corners(cells);
  if (request_.smoothing == Smoothing::line_of_sight) {
    keep_sight(*ground_.layer(request_.agent), cells);
  }
}

// The cells at which links begin and end stay: that is where somebody jumps.
void GridSearch::smooth_between_links() {
  smoothed_.clear();
  std::size_t first = 0;
  const auto add = [&](std::size_t end) {
    part_.assign(cells_.begin() + static_cast<std::ptrdiff_t>(first),
                 cells_.begin() + static_cast<std::ptrdiff_t>(end));
    smooth(part_);
    smoothed_.insert(smoothed_.end(), part_.begin(), part_.end());
    first = end;
  };
  for (LinkStep& one : links_) {
    add(one.cell + 1);
    one.cell = static_cast<std::uint32_t>(smoothed_.size() - 1);
  }
  add(cells_.size());
  cells_.swap(smoothed_);
}

// It begins and ends where was asked for, not in the middle of these cells. From there to the
// middle nothing is in the way; whether that can be left out, a line shows.
void GridSearch::write_points(Path& out) const {
  const Layer& layer = *ground_.layer(request_.agent);
  const auto free = [&](FinePoint from, FinePoint to) { return !follow_line(layer, from, to).hit; };
  const FinePoint start = ground_.fine(request_.from);
  FinePoint last = start;  // the last point written
  bool by_link = false;    // that is where a link ends
  auto link = links_.begin();
  out.points.clear();
  out.links.clear();
  out.points.push_back(request_.from.point);
  const auto write = [&](std::size_t i) {
    out.points.push_back(ground_.place(cells_[i]).point);
    last = middle_of(cells_[i]);
    by_link = false;
    if (link == links_.end() || link->cell != i) return;
    out.links.push_back(
        {static_cast<std::uint32_t>(out.points.size() - 1), ground_.link_id(link->link)});
    by_link = true;
    ++link;
  };
  const bool begins_with_link = !links_.empty() && links_.front().cell == 0;
  if (begins_with_link || (cells_.size() > 1 && !free(start, middle_of(cells_[1])))) write(0);
  const std::size_t end = out.complete ? cells_.size() - 1 : cells_.size();
  for (std::size_t i = 1; i < end; ++i) write(i);
  if (!out.complete) return;
  if (by_link || !free(last, ground_.fine(request_.to))) write(cells_.size() - 1);
  out.points.push_back(request_.to.point);
}

}  // namespace starbus::nav::grid
