#include <chrono>
#include <cmath>
#include <iomanip>
#include <limits>
#include <ostream>

#include "nav/mesh/limits.hpp"
#include "tools/nav/commands.hpp"
#include "tools/nav/files.hpp"
#include "tools/terminal/json_text.hpp"

namespace starbus::nav_tool {
namespace {

double length_of(const std::vector<nav::Point>& points) {
  double length = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto gap = [](float a, float b) {
      return static_cast<double>(a) - static_cast<double>(b);
    };
    length += std::hypot(gap(points[i].x, points[i - 1].x), gap(points[i].y, points[i - 1].y),
                         gap(points[i].z, points[i - 1].z));
  }
  return length;
}

}  // namespace

Result<void> begin(World& world, const QueryRequest& request, nav::Search& search) {
  nav::Ground& ground = world.ground();
  const auto place = [&](const Spot& spot) {
    // Without a height: the floor that is nearest to 0, however far that is.
    constexpr float kAnyHeight = 2 * nav::mesh::kMaxCoordinate;
    const float up = spot.high || !world.has_floors() ? request.reach : kAnyHeight;
    return ground.nearest(spot.point, {request.reach, request.reach, up}, world.agent());
  };
  nav::PathRequest path = request.path;
  path.agent = world.agent();
  const auto from = place(request.from);
  if (!from) return Error(Errc::bad_start, "--from: no place there; see --reach");
  const auto to = place(request.to);
  if (!to) return Error(Errc::bad_goal, "--to: no place there; see --reach");
  path.from = *from;
  path.to = *to;
  // What is not prepared is answered as automatic: fast, but not what was asked for.
  if (path.algorithm == nav::Algorithm::jps_plus ||
      path.algorithm == nav::Algorithm::hierarchical) {
    if (auto ready = ground.prepare(path.agent, path.algorithm); !ready) return ready.error();
  }
  return search.begin(path);
}

int query(const QueryRequest& request, const Streams& streams) {
  const auto world = read_world(request.file, request.read);
  if (!world) return fail(streams, world.error().to_string());
  const auto search = (*world)->ground().make_search();
  nav::Path path;
  auto found = begin(**world, request, *search);
  const auto started = std::chrono::steady_clock::now();
  if (found) {
    const auto ended = search->advance(std::numeric_limits<std::uint32_t>::max());
    found = ended ? search->path(path) : Result<void>(ended.error());
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - started;
  if (!found) return fail(streams, request.file + ": " + found.error().to_string());
  const double metres = length_of(path.points);
  const double cost = static_cast<double>(path.cost) * (*world)->ground().unit();
  if (request.json) {
    bustop::OrderedJson json;
    json["complete"] = path.complete;
    json["cost"] = cost;
    json["length"] = metres;
    json["expanded"] = path.expanded;
    json["microseconds"] = took.count();
    json["points"] = bustop::OrderedJson::array();
    for (const nav::Point& at : path.points) json["points"].push_back({at.x, at.y, at.z});
    streams.out << bustop::dump(json);
    return 0;
  }
  streams.out << (path.complete ? "a way" : "a way to the nearest place that can be reached")
              << ": " << metres << " m, cost " << cost << ", " << path.expanded
              << " nodes expanded, " << std::lround(took.count()) << " us\n";
  for (const nav::Point& at : path.points) streams.out << "  " << text_of(at) << "\n";
  return 0;
}

}  // namespace starbus::nav_tool
