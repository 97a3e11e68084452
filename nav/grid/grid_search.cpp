#include "nav/grid/grid_search.hpp"

#include "nav/grid/line.hpp"

namespace starbus::nav::grid {

Result<void> GridSearch::begin(const PathRequest& request) {
  begun_ = false;
  const Layer* const layer = ground_.layer(request.agent);
  if (layer == nullptr) return Errc::unknown_agent;
  if (request.smoothing > Smoothing::line_of_sight) return Errc::bad_option;
  if (!finite(request.from.point) || !finite(request.to.point)) return Errc::bad_position;
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
  if (auto found = search_.path(cells_); !found) return found;
  out.cost = search_.cost();
  out.expanded = search_.expanded();
  out.complete = search_.complete();
  out.version = ground_.version();
  if (request_.smoothing == Smoothing::corners) keep_corners(cells_);
  if (request_.smoothing == Smoothing::line_of_sight) {
    keep_sight(*ground_.layer(request_.agent), cells_);
  }
  write_points(out);
  return {};
}

// It begins and ends where was asked for, not in the middle of these cells. From there to the
// middle nothing is in the way; whether that can be left out, a line shows.
void GridSearch::write_points(Path& out) const {
  const Layer& layer = *ground_.layer(request_.agent);
  const auto free = [&](FinePoint from, FinePoint to) { return !follow_line(layer, from, to).hit; };
  const FinePoint start = ground_.fine(request_.from);
  FinePoint last = start;  // the last point written
  out.points.clear();
  out.points.push_back(request_.from.point);
  const auto write = [&](Cell cell) {
    out.points.push_back(ground_.place(cell).point);
    last = middle_of(cell);
  };
  if (cells_.size() > 1 && !free(start, middle_of(cells_[1]))) write(cells_.front());
  const std::size_t end = out.complete ? cells_.size() - 1 : cells_.size();
  for (std::size_t i = 1; i < end; ++i) write(cells_[i]);
  if (!out.complete) return;
  if (!free(last, ground_.fine(request_.to))) write(cells_.back());
  out.points.push_back(request_.to.point);
}

}  // namespace starbus::nav::grid
