/// A recording as pictures: what is needed of each update to draw it.
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
  std::vector<Line> lines;  ///< who sees whom: the first kMaxLines of them
  std::size_t pairs = 0;    ///< all of them
};

/// More would be a page that no browser shows.
inline constexpr std::size_t kMaxFrames = 2'000;
inline constexpr std::size_t kMaxLines = 20'000;

struct Selection {
  std::uint64_t first = 1;  ///< updates
  std::uint64_t last = ~std::uint64_t{0};
  std::uint32_t only = 0;  ///< the index of an entity: only what its sensors see; 0: all
};

struct Film {
  aoi::WorldOptions options;
  std::vector<Frame> frames;
  bool cut = false;  ///< the recording has more than kMaxFrames of what was asked for
};

/// corrupt, newer_format, and what World::create refuses.
aoi::Result<Film> read_film(std::string_view recording, const Selection& selection);

/// Whether one of these moments has an entity of that index.
bool shows(std::span<const Frame> frames, std::uint32_t index);

/// One moment: cells, radii, who sees whom.
void write_svg(std::ostream& out, const Film& film, const Frame& frame);
/// All frames on one page, with a slider and a button to play.
void write_html(std::ostream& out, const Film& film);

}  // namespace starbus::aoi_view
