#include "nav/grid/terrain.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nav::grid {

Terrain plain(std::uint32_t width, std::uint32_t height, Area area) {
  return {width, height, std::vector<Area>(std::size_t{width} * height, area), {}, {}};
}

Result<Terrain> terrain_of(std::string_view picture) {
  Terrain terrain;
  while (!picture.empty()) {
    const std::size_t end = std::min(picture.find('\n'), picture.size());
    const std::string_view line = picture.substr(0, end);
    picture.remove_prefix(std::min(end + 1, picture.size()));
    if (line.empty()) continue;
    if (terrain.height == 0) terrain.width = static_cast<std::uint32_t>(line.size());
    if (line.size() != terrain.width) return Error(Errc::bad_option, "picture: lines differ");
    ++terrain.height;
    for (const char one : line) {
      if (one == '.') {
        terrain.areas.push_back(kPlain);
      } else if (one == '#') {
        terrain.areas.push_back(kWall);
      } else if (one >= '1' && one <= '9') {
        terrain.areas.push_back(static_cast<Area>(one - '0'));
      } else {
        return Error(Errc::bad_option, "picture: unknown sign");
      }
    }
  }
  return terrain;
}

Result<void> check(const Terrain& terrain) {
  if (terrain.width == 0 || terrain.height == 0) return Error(Errc::bad_option, "no cells");
  if (terrain.width > kMaxSide || terrain.height > kMaxSide) {
    return Error(Errc::too_large, "kMaxSide");
  }
  const std::uint64_t cells = std::uint64_t{terrain.width} * terrain.height;
  if (cells > kMaxCells) return Error(Errc::too_large, "kMaxCells");
  if (terrain.areas.size() != cells) return Error(Errc::bad_option, "areas: not one for each cell");
  if (!terrain.levels.empty() && terrain.levels.size() != cells) {
    return Error(Errc::bad_option, "levels: not one for each cell");
  }
  if (std::ranges::any_of(terrain.areas, [](Area area) { return area > kMaxArea; })) {
    return Error(Errc::too_large, "kMaxArea");
  }
  if (!std::ranges::all_of(terrain.levels, [](float level) { return std::isfinite(level); })) {
    return Error(Errc::bad_option, "levels: not a number");
  }
  if (terrain.links.size() > kMaxLinks) return Error(Errc::too_many, "kMaxLinks");
  for (const CellLink& link : terrain.links) {
    if (auto fits = check_link(terrain, link); !fits) return fits;
  }
  return {};
}

Result<void> check_link(const Terrain& terrain, const CellLink& link) {
  const auto within = [&](Cell cell) { return cell.x < terrain.width && cell.y < terrain.height; };
  if (!within(link.from) || !within(link.to)) return Error(Errc::bad_option, "link: an end");
  if (link.from == link.to) return Error(Errc::bad_option, "link: both ends are the same cell");
  if (link.cost == 0) return Error(Errc::bad_option, "link: no cost");
  if (link.cost > kMaxLinkCost) return Error(Errc::too_large, "kMaxLinkCost");
  if (link.area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
  return {};
}

}  // namespace starbus::nav::grid
