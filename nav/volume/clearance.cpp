#include "nav/volume/clearance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace starbus::nav::volume {
namespace {

// Blocked voxels of a column, from the lowest on.
template <class Use>
void each_blocked(const Columns& columns, const Body& body, std::uint32_t x, std::uint32_t y,
                  Use&& use) {
  std::uint32_t begin = 0;
  std::uint32_t low = 0;
  bool blocked = false;
  for (const Span& span : columns.column(x, y)) {
    const bool wall = body.costs[span.area] == 0;
    if (wall && !blocked) low = begin;
    if (!wall && blocked) use(Gap{low, begin});
    blocked = wall;
    begin = span.end;
  }
  if (blocked) use(Gap{low, begin});
}

// Whether nothing of these voxels can be passed; true beyond the volume.
bool all_blocked(const Columns& columns, const Body& body, int x, int y, const Gap& gap) {
  const Extent& extent = columns.extent();
  if (x < 0 || y < 0 || x >= static_cast<int>(extent.x) || y >= static_cast<int>(extent.y)) {
    return true;
  }
  const auto spans = columns.column(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
  auto span = std::ranges::upper_bound(spans, gap.low, {}, &Span::end);
  for (; span != spans.end(); ++span) {
    if (body.costs[span->area] != 0) return false;
    if (span->end >= gap.high) return true;
  }
  return true;
}

// One chunk, and the blocked voxels that are put into it.
class Inflation {
 public:
  Inflation(const Columns& columns, const Body& body, Voxel low, ChunkValues& out)
      : columns_(columns), body_(body), low_(low), out_(out) {}

  void run() {
    const VoxelBox within = columns_.extent().box();
    const VoxelBox box =
        VoxelBox{
            low_.x, low_.y, low_.z, low_.x + kChunkSide, low_.y + kChunkSide, low_.z + kChunkSide}
            .grown(body_.reach, within);
    for (std::uint32_t x = box.x0; x < box.x1; ++x) {
      for (std::uint32_t y = box.y0; y < box.y1; ++y) {
        each_blocked(columns_, body_, x, y, [&](Gap gap) {
          gap = {std::max(gap.low, box.z0), std::min(gap.high, box.z1)};
          if (gap.low < gap.high) inflate(static_cast<int>(x), static_cast<int>(y), gap);
        });
      }
    }
    keep_from_borders();
  }

 private:
  void inflate(int x, int y, const Gap& gap) {
    // Within a solid the columns around reach at least as far as this one: only up and down.
    bool inside = true;
    for (int dx = -1; dx <= 1 && inside; ++dx) {
      for (int dy = -1; dy <= 1 && inside; ++dy) {
        inside = all_blocked(columns_, body_, x + dx, y + dy, gap);
      }
    }
    for (const Body::Offset& offset : body_.around) {
      if (inside && (offset.x != 0 || offset.y != 0)) continue;
      close(x + offset.x, y + offset.y, static_cast<int>(gap.low) - offset.up,
            static_cast<int>(gap.high) + offset.up);
    }
  }

  // Of a column, what lies in the chunk.
  void close(int x, int y, int low, int high) {
    x -= low_.x;
    y -= low_.y;
    const int side = static_cast<int>(kChunkSide);
    if (x < 0 || y < 0 || x >= side || y >= side) return;
    low = std::max(low - low_.z, 0);
    high = std::min(high - low_.z, side);
    if (low >= high) return;
    const auto at =
        out_.begin() + chunk_index(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                                   static_cast<std::uint32_t>(low));
    std::fill(at, at + (high - low), std::uint8_t{0});
  }

  void keep_from_borders() {
    const Extent& extent = columns_.extent();
    const int by = static_cast<int>(body_.reach);
    const auto inside = [by](int at, std::uint32_t count) {
      return at >= by && at + by < static_cast<int>(count);
    };
    const int side = static_cast<int>(kChunkSide);
    for (int x = low_.x; x < low_.x + side; ++x) {
      for (int y = low_.y; y < low_.y + side; ++y) {
        if (!inside(x, extent.x) || !inside(y, extent.y)) {
          close(x, y, low_.z, low_.z + side);
          continue;
        }
        close(x, y, 0, by);
        close(x, y, static_cast<int>(extent.z) - by, static_cast<int>(extent.z));
      }
    }
  }

  const Columns& columns_;
  const Body& body_;
  Voxel low_;
  ChunkValues& out_;
};

}  // namespace

Body::Body(const Agent& agent, const Areas& areas, double radius) {
  for (std::size_t area = kPlain; area <= kMaxArea; ++area) {
    if (agent.passes(areas.flags[area])) costs[area] = agent.costs[area];
  }
  if (radius <= 0) return;
  reach = static_cast<std::uint32_t>(std::ceil(radius));
  // Between two voxels that are d apart along an axis lie d - 1 of them, or nothing.
  const auto gap = [](int d) { return std::max(std::abs(d) - 1, 0); };
  const int by = static_cast<int>(reach);
  for (int x = -by; x <= by; ++x) {
    for (int y = -by; y <= by; ++y) {
      const double left = radius * radius - gap(x) * gap(x) - gap(y) * gap(y);
      if (left <= 0) continue;
      int up = 0;
      while (gap(up + 1) * gap(up + 1) < left) ++up;
      around.push_back({x, y, up});
    }
  }
}

std::uint32_t Body::least_cost() const {
  std::uint32_t least = kMaxAreaCost + 1;
  for (const std::uint8_t cost : costs) {
    if (cost != 0) least = std::min<std::uint32_t>(least, cost);
  }
  return least > kMaxAreaCost ? 1 : least;
}

std::optional<std::uint8_t> read_costs(const Columns& columns, const Body& body, Voxel low,
                                       ChunkValues& out) {
  const VoxelBox all = columns.extent().box();
  const VoxelBox box = Block{low, kChunkLevel, 0, 0}.box();
  const VoxelBox grown = box.grown(body.reach, all);
  const std::uint32_t side = kChunkSide + 2 * body.reach;
  if (grown.x1 - grown.x0 == side && grown.y1 - grown.y0 == side && grown.z1 - grown.z0 == side) {
    if (const auto area = one_area(columns, grown)) return body.costs[*area];
  }
  read_areas(columns, low, out);
  for (std::uint8_t& value : out) value = body.costs[value];
  if (!body.around.empty()) Inflation(columns, body, low, out).run();
  return std::nullopt;
}

}  // namespace starbus::nav::volume
