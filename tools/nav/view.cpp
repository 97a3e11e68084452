#include <limits>
#include <sstream>
#include <unordered_set>

#include "tools/nav/commands.hpp"
#include "tools/nav/files.hpp"
#include "tools/nav/limits.hpp"
#include "tools/nav/picture.hpp"

namespace starbus::nav_tool {
namespace {

// Runs a search twice: the first time to know how many nodes it looks at, so that the second is
// cut into that many frames.
class Filmed {
 public:
  Filmed(World& world, const QueryRequest& request) : world_(world), request_(request) {}

  Result<std::vector<Frame>> run() {
    const auto search = world_.ground().make_search();
    if (auto begun = begin(world_, request_, *search); !begun) return begun.error();
    if (auto ended = search->advance(std::numeric_limits<std::uint32_t>::max()); !ended) {
      return ended.error();
    }
    nav::Path path;
    if (auto found = search->path(path); !found) return found.error();
    const std::uint32_t step = path.expanded / kMaxFrames + 1;
    if (auto begun = begin(world_, request_, *search); !begun) return begun.error();
    std::vector<Frame> frames;
    for (bool ended = false; !ended;) {
      const auto went = search->advance(step);
      if (!went) return went.error();
      ended = *went;
      if (auto found = search->path(path); !found) return found.error();
      frames.push_back({path.expanded, added(*search), path.points});
    }
    return frames;
  }

 private:
  // Pieces that it had not looked at before.
  std::vector<Shape> added(const nav::Search& search) {
    search.looked_at(pieces_);
    std::vector<Shape> added;
    for (const std::uint64_t piece : pieces_) {
      if (seen_.insert(piece).second) added.push_back(world_.ground().outline(piece));
    }
    return added;
  }

  World& world_;
  const QueryRequest& request_;
  std::vector<std::uint64_t> pieces_;
  std::unordered_set<std::uint64_t> seen_;
};

Result<Picture> picture_of(const ViewRequest& request) {
  const auto world = read_world(request.file, request.read);
  if (!world) return world.error();
  Picture picture;
  picture.title = request.file + ": " + (*world)->size().substr(0, (*world)->size().find(','));
  picture.bounds = (*world)->ground().bounds();
  picture.open = (*world)->open(kMaxShapes + 1);
  picture.closed = (*world)->closed(request.z, kMaxShapes + 1);
  if (request.search) {
    auto frames = Filmed(**world, request.query).run();
    if (!frames) return in_file(request.file, frames.error());
    picture.frames = *std::move(frames);
  }
  std::size_t shapes = picture.open.size() + picture.closed.size();
  for (const Frame& frame : picture.frames) shapes += frame.added.size();
  if (shapes > kMaxShapes) {
    return Error(Errc::too_large, request.file + ": more than kMaxShapes; choose a smaller map");
  }
  if (!request.trails.empty()) {
    const auto text = read_file(request.trails);
    if (!text) return text.error();
    auto trails = read_trails(*text);
    if (!trails) return in_file(request.trails, trails.error());
    picture.trails = *std::move(trails);
  }
  return picture;
}

}  // namespace

int view(const ViewRequest& request, const Streams& streams) {
  const auto picture = picture_of(request);
  if (!picture) return fail(streams, picture.error().to_string());
  using Write = void (*)(std::ostream&, const Picture&);
  const std::pair<std::string, Write> pictures[] = {{request.svg, write_svg},
                                                    {request.html, write_html}};
  for (const auto& [file, write] : pictures) {
    if (file.empty()) continue;
    std::ostringstream text;
    write(text, *picture);
    if (auto did = write_file(file, text.str()); !did) {
      return fail(streams, did.error().to_string());
    }
  }
  return 0;
}

}  // namespace starbus::nav_tool
