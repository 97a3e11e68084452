#include <ostream>

#include "tools/nav/commands.hpp"
#include "tools/nav/files.hpp"
#include "tools/terminal/json_text.hpp"

namespace starbus::nav_tool {
namespace {

constexpr std::size_t kShown = 10;  // of a list, in a report for people

void say_more(const Streams& streams, std::size_t count) {
  if (count > kShown) streams.out << "  and " << count - kShown << " more; --json lists all\n";
}

}  // namespace

int fail(const Streams& streams, const std::string& text, int code) {
  streams.err << "starbus-nav: " << text << "\n";
  return code;
}

int bake(const BakeRequest& request, const Streams& streams) {
  const auto say = [&](const std::string& what) {
    if (!request.quiet) streams.err << "starbus-nav: " << what << std::endl;
  };
  say("reads " + request.file);
  ReadOptions read = request.read;
  read.progress = [&](std::uint32_t done, std::uint32_t all) {
    // Ten lines, or one for each tile of a few.
    if (std::uint64_t{done} * 10 / all == std::uint64_t{done - 1} * 10 / all) return;
    say("has baked " + std::to_string(done) + " of " + std::to_string(all) + " tiles");
  };
  const auto world = read_world(request.file, read);
  if (!world) return fail(streams, world.error().to_string());
  say("looks for islands");
  const std::vector<Island> islands = (*world)->islands();
  const std::vector<LostSlope> slopes = (*world)->lost_slopes();
  const auto bytes = (*world)->bytes();
  if (!bytes) return fail(streams, bytes.error().to_string());
  say("writes " + request.output);
  if (auto did = write_file(request.output, *bytes); !did) {
    return fail(streams, did.error().to_string());
  }
  std::uint64_t pieces = 0;
  for (const Island& island : islands) pieces += island.pieces;
  const std::uint64_t apart = islands.empty() ? 0 : pieces - islands.front().pieces;
  if (request.json) {
    bustop::OrderedJson json;
    json["file"] = request.output;
    json["kind"] = (*world)->kind();
    json["size"] = (*world)->size();
    json["bytes"] = bytes->size();
    json["pieces"] = pieces;
    json["unreachable"] = apart;
    json["islands"] = bustop::OrderedJson::array();
    for (const Island& island : islands) {
      const nav::Point& at = island.place.point;
      bustop::OrderedJson one{{"pieces", island.pieces}, {"at", {at.x, at.y, at.z}}};
      if (island.area > 0) one["area"] = island.area;
      json["islands"].push_back(std::move(one));
    }
    json["lost_slopes"] = bustop::OrderedJson::array();
    for (const LostSlope& slope : slopes) {
      const nav::Point& at = slope.middle;
      json["lost_slopes"].push_back(
          {{"degrees", slope.degrees}, {"area", slope.area}, {"at", {at.x, at.y, at.z}}});
    }
    streams.out << bustop::dump(json);
    return 0;
  }
  streams.out << request.output << ": " << (*world)->kind() << ", " << (*world)->size() << "; "
              << bytes->size() << " bytes\n"
              << islands.size() << (islands.size() == 1 ? " island" : " islands") << ", " << pieces
              << " pieces; " << apart << " cannot be reached from the largest\n";
  for (std::size_t i = 0; i < islands.size() && i < kShown; ++i) {
    streams.out << "  " << islands[i].pieces << " pieces";
    if (islands[i].area > 0) streams.out << ", " << islands[i].area << " m2,";
    streams.out << " around " << text_of(islands[i].place.point) << "\n";
  }
  say_more(streams, islands.size());
  if (slopes.empty()) return 0;
  double lost = 0;
  for (const LostSlope& slope : slopes) lost += slope.area;
  streams.out << slopes.size() << (slopes.size() == 1 ? " triangle, " : " triangles, ") << lost
              << " m2, no ground: too steep\n";
  for (std::size_t i = 0; i < slopes.size() && i < kShown; ++i) {
    streams.out << "  " << slopes[i].degrees << " degrees, " << slopes[i].area << " m2, around "
                << text_of(slopes[i].middle) << "\n";
  }
  say_more(streams, slopes.size());
  return 0;
}

}  // namespace starbus::nav_tool
