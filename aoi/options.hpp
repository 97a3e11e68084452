/// What a world, an entity and a sensor can be told. Defaults are what a game should start with.
#pragma once

#include <array>
#include <cstdint>

#include "aoi/region.hpp"
#include "aoi/types.hpp"

namespace starbus::aoi {

enum class Backend : std::uint8_t {
  grid,         ///< the default: a bounded map, any density, any share of movers
  hashed_grid,  ///< unbounded or sparse worlds: memory for occupied cells only
  cross_list,   ///< sorted axes; 2-D worlds in which few move
  brute_force,  ///< every pair, every update: the oracle of the tests
};

enum class Simd : std::uint8_t { best, none };

/// Who stays when more are in range than a sensor may show.
enum class LimitPolicy : std::uint8_t {
  none,
  nearest,    ///< the nearest by (distance, id); a newcomer must be nearer by the margin
  priority,   ///< the highest weight, and among equals as nearest
  symmetric,  ///< mutual lists with bands and replacement: SymmetricOptions
};

struct Limit {
  LimitPolicy policy = LimitPolicy::none;
  std::uint16_t count = 30;  ///< forced targets and beacons do not count; symmetric has its own
  float margin = 0.1F;       ///< so much nearer, as a share, must be who takes another's place
};

struct SensorOptions {
  float radius = 30;
  float leave_margin = 0;  ///< enters at radius, leaves beyond radius + leave_margin
  float min_height = 0;    ///< relative to the observer; both 0: height is ignored
  float max_height = 0;
  Filter filter = {};
  Limit limit = {};
  bool sees_beacons = true;
  bool indexed = false;       ///< events carry dense 16-bit indices; export_state keeps them
  std::uint16_t period = 1;   ///< looks every so many updates, spread over sensors
  std::uint8_t priority = 1;  ///< who looks first when there is a budget; 0 comes last
};

struct EntityOptions {
  Position position = {};
  std::uint64_t flags = 0;
  std::uint64_t key = 0;   ///< the server's own id of it; kept in exports and recordings
  float weight = 0;        ///< for LimitPolicy::priority
  bool observable = true;  ///< false: has sensors and is seen by nobody, as a trap
};

/// For sensors with LimitPolicy::symmetric: A sees B exactly if B sees A. Who is visible is decided
/// by cells, not by the radius: the block of 5 x 5 around one's own.
struct SymmetricOptions {
  std::uint16_t capacity = 60;
  float cell = 32;                           ///< m
  float search_cell = 4;                     ///< m; a search runs when this cell changes
  std::array<float, 3> bands = {5, 15, 30};  ///< m, approximate distance
  float replace_within = 15;                 ///< m; nearer strangers may take a far one's place
  std::uint16_t refresh = 25;                ///< updates after which the stationary search anyway
};

/// How much of an update may be put off to later ones. The default puts nothing off. What a pair
/// test is, and so who looks when, is the backend's own.
struct Budget {
  std::uint64_t pair_tests = 0;     ///< per update, 0: no bound; deterministic
  std::uint32_t microseconds = 0;   ///< per update, 0: no bound; NOT deterministic
  std::uint16_t max_staleness = 5;  ///< no sensor is put off more often than that in a row
};

struct WorldOptions {
  Backend backend = Backend::grid;
  Metric metric = Metric::circle;
  /// The uniform grid's cells cover it. Who is outside is treated exactly, only slower in crowds.
  Box bounds = {{-1024, -1024, 0}, {1024, 1024, 0}};
  /// The usual radius, with its leave margin: cells are a little larger. Larger sensors work, each
  /// doubling costs a layer of its own.
  float reach = 32;
  /// Updates for which a freed entity, sensor or wire index rests: what is under way to a client
  /// must not hit its successor. 25 are 5 s at 200 ms.
  std::uint16_t quarantine = 25;
  /// Room made at once instead of by growing; no bound.
  std::uint32_t expected_entities = 0;
  std::uint32_t expected_sensors = 0;
  SymmetricOptions symmetric = {};
  Budget budget = {};
  Simd simd = Simd::best;
};

}  // namespace starbus::aoi
