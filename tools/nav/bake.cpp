#include <ostream>

#include "tools/nav/commands.hpp"
#include "tools/nav/files.hpp"
#include "tools/terminal/json_text.hpp"

namespace starbus::nav_tool {
namespace {

constexpr std::size_t kIslandsShown = 10;

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
  const auto world = read_world(request.file, request.read);
  if (!world) return fail(streams, world.error().to_string());
  say("looks for islands");
  const std::vector<Island> islands = (*world)->islands();
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
      json["islands"].push_back({{"pieces", island.pieces}, {"at", {at.x, at.y, at.z}}});
    }
    streams.out << bustop::dump(json);
    return 0;
  }
  streams.out << request.output << ": " << (*world)->kind() << ", " << (*world)->size() << "; "
              << bytes->size() << " bytes\n"
              << islands.size() << (islands.size() == 1 ? " island" : " islands") << ", " << pieces
              << " pieces; " << apart << " cannot be reached from the largest\n";
  for (std::size_t i = 0; i < islands.size() && i < kIslandsShown; ++i) {
    streams.out << "  " << islands[i].pieces << " pieces around " << text_of(islands[i].place.point)
                << "\n";
  }
  if (islands.size() > kIslandsShown) {
    streams.out << "  and " << islands.size() - kIslandsShown << " more; --json lists all\n";
  }
  return 0;
}

}  // namespace starbus::nav_tool
