/// A recording as frames: what is needed to draw each update. Plain values; one thread.
#pragma once

#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include "aoi/replay/recording.hpp"

namespace starbus::aoi_view {

struct Dot {
  aoi::EntityId id;
  aoi::Position at;
  bool observable = true;
};
struct Ring {
  std::size_t dot = 0;  ///< of its owner
  float radius = 0;
};
struct Line {
  std::size_t from = 0;  ///< dots
  std::size_t to = 0;
};
struct Frame {
  std::uint64_t update = 0;
  std::size_t enters = 0;
  std::size_t leaves = 0;
  std::vector<Dot> dots;
  std::vector<Ring> rings;
  std::vector<Line> lines;  ///< pairs of observer and target: the first kMaxLines
  std::size_t pairs = 0;    ///< all of them
};

/// A larger page would not open in a browser.
inline constexpr std::size_t kMaxFrames = 2'000;
inline constexpr std::size_t kMaxLines = 20'000;

struct Selection {
  std::uint64_t first = 1;  ///< updates
  std::uint64_t last = ~std::uint64_t{0};
  std::uint32_t only = 0;  ///< index of an entity: only what its sensors see; 0: all
};

struct Film {
  aoi::WorldOptions options;
  std::vector<Frame> frames;
  bool cut = false;  ///< more than kMaxFrames were selected
};

/// corrupt, newer_format, and the errors of World::create.
aoi::Result<Film> read_film(std::string_view recording, const Selection& selection);

/// True if one of these frames has an entity with that index.
bool shows(std::span<const Frame> frames, std::uint32_t index);

/// Draws one frame: cells, radii, who sees whom.
void write_svg(std::ostream& out, const Film& film, const Frame& frame);
/// Draws all frames on one page, with a slider and a button to play.
void write_html(std::ostream& out, const Film& film);

}  // namespace starbus::aoi_view
