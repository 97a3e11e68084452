/// Pictures of a world: its plane from above, with a way, what a search has looked at, and trails.
/// Plain values, and pure functions that write them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "nav/types.hpp"
#include "tools/nav/trails.hpp"
#include "tools/nav/world.hpp"

namespace starbus::nav_tool {

/// The search after some of its steps.
struct Frame {
  std::uint32_t expanded = 0;
  std::vector<Shape> added;     ///< what it has looked at since the frame before
  std::vector<nav::Point> way;  ///< the best so far
};

struct Picture {
  std::string title;
  nav::Box bounds;
  std::vector<Shape> open;  ///< where that is all that there is; else empty
  std::vector<Shape> closed;
  std::vector<Frame> frames;  ///< of a search; may be empty
  std::vector<Trail> trails;
};

/// The last frame as SVG: what cannot be passed, what was looked at, the way, the trails.
void write_svg(std::ostream& out, const Picture& picture);
/// All of it as one page that needs nothing else: a slider, and a button to play.
void write_html(std::ostream& out, const Picture& picture);

}  // namespace starbus::nav_tool
