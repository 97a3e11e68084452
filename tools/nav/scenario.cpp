#include <chrono>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "nav/formats/moving_ai.hpp"
#include "nav/grid/grid_ground.hpp"
#include "tools/nav/commands.hpp"
#include "tools/nav/files.hpp"
#include "tools/terminal/json_text.hpp"

namespace starbus::nav_tool {
namespace {

namespace formats = nav::formats;
namespace grid = nav::grid;

constexpr std::uint16_t kLandFlag = 1;
constexpr std::uint16_t kWaterFlag = 2;
// Of what is shown of ways whose lengths differ.
constexpr std::size_t kRowsShown = 10;

// A cell's diagonal is 577 / 408 here, and lengths are printed with some digits.
bool same_length(double a, double b) {
  return std::abs(a - b) <= 1e-3 + 1e-5 * std::max(a, b);
}

struct Totals {
  std::size_t rows = 0;
  std::size_t differ = 0;
  std::uint64_t expanded = 0;
  std::chrono::duration<double, std::milli> took{};
};

// The map is that of the first row: a file of scenarios is of one map.
Result<std::unique_ptr<grid::GridGround>> ground_of(const ScenarioRequest& request,
                                                    const formats::Scenario& first) {
  const std::filesystem::path folder = std::filesystem::path(request.file).parent_path();
  const std::string file = request.map.empty()
                               ? (folder / std::filesystem::path(first.map).filename()).string()
                               : request.map;
  const auto text = read_file(file);
  if (!text) return text.error();
  auto terrain = formats::read_map(*text);
  if (!terrain) return in_file(file, terrain.error());
  if (terrain->width != first.width || terrain->height != first.height) {
    return Error(Errc::corrupt, file + ": not of the size that " + request.file + " says");
  }
  grid::GridOptions options;
  options.areas.flags[formats::kWater] = kWaterFlag;
  return grid::GridGround::create(*std::move(terrain), options);
}

}  // namespace

int scenario(const ScenarioRequest& request, const Streams& streams) {
  const auto text = read_file(request.file);
  if (!text) return fail(streams, text.error().to_string());
  const auto rows = formats::read_scenarios(*text);
  if (!rows) return fail(streams, in_file(request.file, rows.error()).to_string());
  if (rows->empty()) return fail(streams, request.file + ": no rows");
  auto ground = ground_of(request, rows->front());
  if (!ground) return fail(streams, ground.error().to_string());
  // Water is joined to itself alone.
  nav::Agent walker;
  walker.include = kLandFlag;
  nav::Agent swimmer;
  swimmer.include = kWaterFlag;
  const nav::AgentId on_land = *(*ground)->add_agent(walker);
  const nav::AgentId in_water = *(*ground)->add_agent(swimmer);
  for (const nav::AgentId agent : {on_land, in_water}) {
    if (request.algorithm != nav::Algorithm::jps_plus &&
        request.algorithm != nav::Algorithm::hierarchical) {
      continue;
    }
    if (auto did = (*ground)->prepare(agent, request.algorithm); !did) {
      return fail(streams, did.error().to_string());
    }
  }
  const auto search = (*ground)->make_search();
  nav::Path path;
  Totals totals;
  bustop::OrderedJson wrong = bustop::OrderedJson::array();
  for (const formats::Scenario& row : *rows) {
    ++totals.rows;
    const auto fits = [&](grid::Cell cell) { return cell.x < row.width && cell.y < row.height; };
    const auto note = [&](const std::string& what) {
      ++totals.differ;
      wrong.push_back({{"row", totals.rows}, {"length", row.length}, {"found", what}});
    };
    if (row.width != rows->front().width || row.height != rows->front().height || !fits(row.from) ||
        !fits(row.to)) {
      note("a place beyond the map");
      continue;
    }
    const nav::Place from = (*ground)->place(row.from);
    const bool water = (*ground)->area_at(from) == formats::kWater;
    const auto begun = std::chrono::steady_clock::now();
    const auto found = search->find({.from = from,
                                     .to = (*ground)->place(row.to),
                                     .agent = water ? in_water : on_land,
                                     .algorithm = request.algorithm,
                                     .smoothing = nav::Smoothing::corners},
                                    path);
    totals.took += std::chrono::steady_clock::now() - begun;
    if (!found) {
      // Some files have rows without a way, of length 0.
      const bool none = found.error() == Errc::unreachable || found.error() == Errc::bad_goal;
      if (row.length != 0 || !none) note(found.error().to_string());
      continue;
    }
    totals.expanded += path.expanded;
    const double length = static_cast<double>(path.cost) * (*ground)->unit();
    if (!same_length(length, row.length)) note(std::to_string(length));
  }
  if (request.json) {
    bustop::OrderedJson json;
    json["rows"] = totals.rows;
    json["differ"] = totals.differ;
    json["expanded"] = totals.expanded;
    json["milliseconds"] = totals.took.count();
    json["differing"] = wrong;
    streams.out << bustop::dump(json);
  } else {
    streams.out << request.file << ": " << totals.rows << " rows, " << totals.differ << " differ; "
                << totals.expanded << " nodes expanded, " << totals.took.count() << " ms\n";
    for (std::size_t i = 0; i < wrong.size() && i < kRowsShown; ++i) {
      streams.out << "  row " << wrong[i]["row"] << ": " << wrong[i]["length"] << ", found "
                  << wrong[i]["found"].get<std::string>() << "\n";
    }
  }
  return totals.differ == 0 ? 0 : kExitFailed;
}

}  // namespace starbus::nav_tool
