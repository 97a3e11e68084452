#include "nav/formats/moving_ai.hpp"

#include <cmath>
#include <optional>

#include "nav/formats/lines.hpp"

namespace starbus::nav::formats {
namespace {

std::optional<Area> area_of(char sign) {
  switch (sign) {
    case '.':
    case 'G':
      return kPlain;
    case 'S':
      return kSwamp;
    case 'W':
      return kWater;
    case '@':
    case 'O':
    case 'T':
      return kWall;
    default:
      return std::nullopt;
  }
}

// "height 512", of which `name` is the first word.
Result<std::uint32_t> read_side(Lines& lines, std::string_view name) {
  std::string_view line = lines.next().value_or("");
  if (next_word(line) != name) return lines.corrupt(std::string(name) + " expected");
  const auto side = number_of<std::uint32_t>(next_word(line));
  if (!side || *side == 0 || !next_word(line).empty()) return lines.corrupt("not a size");
  if (*side > kMaxSide) return Error(Errc::too_large, "kMaxSide");
  return *side;
}

std::optional<Scenario> scenario_of(std::string_view line) {
  Scenario one;
  const auto bucket = number_of<std::uint32_t>(next_word(line));
  one.map = next_word(line);
  const auto width = number_of<std::uint32_t>(next_word(line));
  const auto height = number_of<std::uint32_t>(next_word(line));
  std::optional<std::uint16_t> places[4];
  for (auto& place : places) place = number_of<std::uint16_t>(next_word(line));
  const auto length = number_of<double>(next_word(line));
  if (!bucket || !width || !height || !places[0] || !places[1] || !places[2] || !places[3] ||
      !length || !std::isfinite(*length) || *length < 0 || !next_word(line).empty()) {
    return std::nullopt;
  }
  one.bucket = *bucket;
  one.width = *width;
  one.height = *height;
  one.from = {*places[0], *places[1]};
  one.to = {*places[2], *places[3]};
  one.length = *length;
  return one;
}

}  // namespace

Result<grid::Terrain> read_map(std::string_view text) {
  if (text.size() > kMaxMapBytes) return Error(Errc::too_large, "kMaxMapBytes");
  Lines lines(text);
  if (lines.next() != "type octile") return lines.corrupt("\"type octile\" expected");
  const auto height = read_side(lines, "height");
  if (!height) return height.error();
  const auto width = read_side(lines, "width");
  if (!width) return width.error();
  if (std::uint64_t{*width} * *height > kMaxCells) return Error(Errc::too_large, "kMaxCells");
  if (lines.next() != "map") return lines.corrupt("\"map\" expected");
  grid::Terrain terrain;
  terrain.width = *width;
  terrain.height = *height;
  // No room is taken on the word of a header: a text has a byte for each cell.
  for (std::uint32_t y = 0; y < *height; ++y) {
    const auto line = lines.next();
    if (!line || line->size() != *width) return lines.corrupt("not as many cells as the width");
    for (const char sign : *line) {
      const auto area = area_of(sign);
      if (!area) return lines.corrupt("unknown sign");
      terrain.areas.push_back(*area);
    }
  }
  while (const auto line = lines.next()) {
    if (!line->empty()) return lines.corrupt("more lines than the height");
  }
  return terrain;
}

std::string write_map(const grid::Terrain& terrain) {
  constexpr std::string_view kSigns = "@.SW";
  std::string text = "type octile\nheight " + std::to_string(terrain.height) + "\nwidth " +
                     std::to_string(terrain.width) + "\nmap\n";
  for (std::size_t i = 0; i < terrain.areas.size(); ++i) {
    const Area area = terrain.areas[i];
    text += area < kSigns.size() ? kSigns[area] : '.';
    if ((i + 1) % terrain.width == 0) text += '\n';
  }
  return text;
}

Result<std::vector<Scenario>> read_scenarios(std::string_view text) {
  if (text.size() > kMaxMapBytes) return Error(Errc::too_large, "kMaxMapBytes");
  Lines lines(text);
  std::string_view first = lines.next().value_or("");
  if (next_word(first) != "version") return lines.corrupt("\"version 1\" expected");
  const auto version = number_of<double>(next_word(first));
  if (version != 1.0) return lines.corrupt("\"version 1\" expected");
  std::vector<Scenario> all;
  while (const auto line = lines.next()) {
    if (line->empty()) continue;
    auto one = scenario_of(*line);
    if (!one) return lines.corrupt("nine fields expected");
    if (all.size() == kMaxScenarios) return Error(Errc::too_many, "kMaxScenarios");
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace starbus::nav::formats
