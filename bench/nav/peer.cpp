#include "bench/nav/peer.hpp"

#include <filesystem>
#include <sstream>

#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"
#include "bench/harness/process.hpp"

namespace starbus::bench::nav {
namespace {

constexpr std::int64_t kLongestRun = 120 * kSecond;

std::string text_of(const Map& map) {
  std::ostringstream out;
  const auto side = map.layer().layout().width;
  out << side << "\n";
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      const starbus::nav::grid::Cell cell{static_cast<std::uint16_t>(x),
                                          static_cast<std::uint16_t>(y)};
      out << (map.layer().passable(cell) ? '.' : '#');
    }
    out << "\n";
  }
  for (const auto& [from, to] : map.pairs()) {
    out << from.x << " " << from.y << " " << to.x << " " << to.y << "\n";
  }
  return out.str();
}

}  // namespace

Result<std::string> find_pathfinding() {
  const std::filesystem::path program = own_executable();
  const auto folder = program.parent_path().parent_path() / "bench-pathfinding";
  if (std::filesystem::exists(folder / "node_modules/pathfinding")) return folder.string();
  return fail("npm's pathfinding is not installed; scripts/bench nav does that, with npm");
}

Result<PeerCosts> pathfinding(const Map& map) {
  const auto folder = find_pathfinding();
  if (!folder) return folder.error();
  const std::string file = *folder + "/map.txt";
  if (const auto written = write_text(file, text_of(map)); !written) return written.error();
  ProcessGroup processes(*folder);
  const auto node =
      processes.spawn("pathfinding", {"/usr/bin/env", "node", *folder + "/run.cjs", file});
  if (!node) return node.error();
  const auto line = (*node)->read_line(now_ns() + kLongestRun);
  if (!line) return line.error();
  PeerCosts costs;
  std::istringstream in(*line);
  if (!(in >> costs.query >> costs.length)) return fail("pathfinding said: " + *line);
  return costs;
}

}  // namespace starbus::bench::nav
