/// Positions and moves of all entities, the same for all that is measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starbus::bench::aoi {

struct Workload {
  std::string name;
  std::uint32_t entities = 0;
  float size = 0;  ///< m; a square from 0
  float radius = 0;
  double moving = 1;  ///< share of entities that move per tick
  int ticks = 100;
  std::uint32_t observers = 0;  ///< how many have sensors; 0: all
};

/// Steps of random direction and 0 to 3 m, bounced at the border; from a fixed seed.
class Crowd {
 public:
  explicit Crowd(const Workload& workload);

  /// Moves the entities of this tick; they are in movers().
  void step();
  /// Teleports so many entities; they are among the movers.
  void scatter(std::uint32_t count);
  const std::vector<std::uint32_t>& movers() const { return movers_; }
  std::uint64_t random(std::uint64_t below);

  std::vector<float> x;
  std::vector<float> y;

 private:
  double uniform();
  void place(std::uint32_t entity);

  Workload workload_;
  std::uint64_t state_;
  std::vector<std::uint32_t> movers_;
  std::vector<std::uint8_t> moves_;  ///< by entity
};

}  // namespace starbus::bench::aoi
