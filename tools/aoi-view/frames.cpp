#include "tools/aoi-view/frames.hpp"

#include <algorithm>
#include <unordered_map>

namespace starbus::aoi_view {
namespace {

Frame frame_of(const aoi::World& world, std::uint64_t update, const Selection& selection) {
  Frame frame;
  frame.update = update;
  world.each_event([&](const aoi::Event& event) {
    ++(event.kind == aoi::Kind::enter ? frame.enters : frame.leaves);
  });
  std::unordered_map<std::uint32_t, std::size_t> dots;
  for (const aoi::EntityId id : world.entities()) {
    dots[id.value] = frame.dots.size();
    const auto entity = world.entity(id);
    frame.dots.push_back({id, entity->position, entity->observable});
  }
  for (const Dot& dot : frame.dots) {
    if (selection.only != 0 && dot.id.index() != selection.only) continue;
    const std::size_t from = dots.at(dot.id.value);
    for (const aoi::SensorId sensor : world.sensors_of(dot.id)) {
      frame.rings.push_back({from, world.sensor(sensor)->radius});
      for (const aoi::EntityId target : world.sees(sensor)) {
        ++frame.pairs;
        if (frame.lines.size() < kMaxLines) frame.lines.push_back({from, dots.at(target.value)});
      }
    }
  }
  return frame;
}

}  // namespace

aoi::Result<Film> read_film(std::string_view recording, const Selection& selection) {
  auto replay = aoi::Replay::open(recording);
  if (!replay) return replay.error();
  auto world = aoi::World::create(replay->options());
  if (!world) return world.error();
  Film film;
  film.options = replay->options();
  for (std::uint64_t update = 1; update <= selection.last; ++update) {
    const auto more = replay->step(*world);
    if (!more) return more.error();
    if (!*more) break;
    if (update < selection.first) continue;
    if (film.frames.size() == kMaxFrames) {
      film.cut = true;
      break;
    }
    film.frames.push_back(frame_of(*world, update, selection));
  }
  return film;
}

bool shows(std::span<const Frame> frames, std::uint32_t index) {
  return std::ranges::any_of(frames, [index](const Frame& frame) {
    return std::ranges::any_of(frame.dots,
                               [index](const Dot& dot) { return dot.id.index() == index; });
  });
}

}  // namespace starbus::aoi_view
