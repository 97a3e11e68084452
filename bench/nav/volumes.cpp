#include "bench/nav/volumes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/nav/measure.hpp"
#include "nav/random.hpp"
#include "nav/volume/volume_ground.hpp"

namespace starbus::bench::nav {
namespace {

namespace ways = starbus::nav;
namespace volumes = starbus::nav::volume;

constexpr std::uint32_t kVolumeSide = 256;
constexpr std::uint32_t kVolumeHeight = 64;
constexpr std::uint32_t kBlocks = 1'500;
constexpr std::size_t kFlights = 100;

volumes::Columns columns() {
  auto columns = *volumes::Columns::create({kVolumeSide, kVolumeSide, kVolumeHeight});
  for (std::uint32_t y = 0; y < kVolumeSide; ++y) {
    for (std::uint32_t x = 0; x < kVolumeSide; ++x) {
      const double hill = 8 + 4 * std::sin(x * 0.06) + 4 * std::sin(y * 0.05);
      must(columns.set({x, y, 0, x + 1, y + 1, static_cast<std::uint32_t>(hill)}, ways::kWall)
               .has_value());
    }
  }
  ways::Random random(3);
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random.fraction() * bound);
  };
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    const std::uint32_t x = below(kVolumeSide - 12);
    const std::uint32_t y = below(kVolumeSide - 12);
    const std::uint32_t z = below(kVolumeHeight - 12);
    must(
        columns.set({x, y, z, x + 2 + below(10), y + 2 + below(10), z + 2 + below(10)}, ways::kWall)
            .has_value());
  }
  return columns;
}

}  // namespace

VolumeCosts volume(int rounds) {
  VolumeCosts costs;
  const volumes::Columns made = columns();
  double begin = cpu_ns();
  const auto ground = *volumes::VolumeGround::create(made, {});
  const auto agent = *ground->add_agent({});
  costs.build = (cpu_ns() - begin) / 1e3 / 1e3;
  costs.bytes = static_cast<double>(ground->layer(agent)->tree().bytes());
  std::vector<std::pair<ways::Place, ways::Place>> pairs;
  for (std::uint64_t seed = 1; pairs.size() < kFlights; seed += 2) {
    const auto from = *ground->random_point(agent, seed);
    const auto to = *ground->random_point(agent, seed + 1);
    if (ground->reachable(from, to, agent)) pairs.emplace_back(from, to);
  }
  const auto search = ground->make_search();
  ways::Path path;
  double sum = 0;
  for (int round = -1; round < rounds; ++round) {
    for (const auto& [from, to] : pairs) {
      begin = cpu_ns();
      must(search->find({.from = from, .to = to, .agent = agent}, path).has_value());
      const double spent = (cpu_ns() - begin) / 1e3;
      if (round < 0) continue;  // it warms up
      sum += spent;
      costs.longest = std::max(costs.longest, spent);
    }
  }
  const double asked = rounds * static_cast<double>(kFlights);
  costs.query = sum / asked;
  begin = cpu_ns();
  for (int round = 0; round < rounds; ++round) {
    for (const auto& [from, to] : pairs) must(ground->raycast(from, to.point, agent).has_value());
  }
  costs.ray = (cpu_ns() - begin) / 1e3 / asked;
  begin = cpu_ns();
  for (int i = 0; i < rounds * 20; ++i) {
    const ways::Point& at = pairs[static_cast<std::size_t>(i) % kFlights].first.point;
    const auto id = ground->add_obstacle({.box = {at, {at.x + 3.9F, at.y + 3.9F, at.z + 3.9F}}});
    must(id && ground->remove_obstacle(*id));
  }
  costs.door = (cpu_ns() - begin) / 1e3 / (rounds * 40);
  return costs;
}

}  // namespace starbus::bench::nav
