/// Options of worlds, entities and sensors. Defaults are good for a game to start with. Plain
/// values.
#pragma once

#include <array>
#include <cstdint>

#include "aoi/region.hpp"
#include "aoi/types.hpp"

namespace starbus::aoi {

/// How a world finds what is in range; all give the same events.
enum class Backend : std::uint8_t {
  grid,         ///< the default: a bounded map, any density, any share of movers
  hashed_grid,  ///< unbounded or sparse worlds: memory for occupied cells only
  cross_list,   ///< sorted axes; 2-D worlds in which few move
  brute_force,  ///< every pair, every update: the oracle of the tests
};

enum class Simd : std::uint8_t { best, none };

/// Which targets a sensor shows when more are in range than its limit allows.
enum class LimitPolicy : std::uint8_t {
  none,
  nearest,    ///< the nearest by (distance, id); a newcomer must be nearer by the margin
  priority,   ///< the highest weight, and among equals as nearest
  symmetric,  ///< mutual lists with bands and replacement: SymmetricOptions
};

/// How many targets a sensor shows, and which.
struct Limit {
  LimitPolicy policy = LimitPolicy::none;
  std::uint16_t count = 30;  ///< forced targets and beacons do not count; symmetric has its own
  float margin = 0.1F;       ///< share by which a newcomer must be nearer to take a place
};

/// Options of a sensor. Lengths are in the unit of positions.
struct SensorOptions {
  float radius = 30;
  float leave_margin = 0;  ///< enters at radius, leaves beyond radius + leave_margin
  float min_height = 0;    ///< relative to the observer; both 0: height is ignored
  float max_height = 0;
  Filter filter = {};
  Limit limit = {};
  bool sees_beacons = true;
  bool indexed = false;  ///< events carry dense 16-bit indices; export_state keeps them
  /// With `indexed`: whatever receivers are grouped by, as the gate of the observer's client.
  /// Decides no event; recordings do not have it.
  std::uint32_t group = 0;
  std::uint16_t period = 1;   ///< evaluated every so many updates, spread over sensors
  std::uint8_t priority = 1;  ///< higher is evaluated first under a budget; 0 comes last
};

/// Options of a new entity.
struct EntityOptions {
  Position position = {};
  std::uint64_t flags = 0;
  std::uint64_t key = 0;   ///< the server's own id of it; kept in exports and recordings
  float weight = 0;        ///< for LimitPolicy::priority
  bool observable = true;  ///< false: has sensors but is in range of none, as a trap
};

/// For sensors with LimitPolicy::symmetric: A sees B exactly if B sees A. Cells decide what is
/// visible, not the radius: the block of 5 x 5 cells around the observer's own.
struct SymmetricOptions {
  std::uint16_t capacity = 60;
  float cell = 32;                           ///< m
  float search_cell = 4;                     ///< m; a search runs when this cell changes
  std::array<float, 3> bands = {5, 15, 30};  ///< m, approximate distance
  float replace_within = 15;                 ///< m; nearer strangers may take a far one's place
  std::uint16_t refresh = 25;  ///< updates after which entities that stand still search anyway
};

/// How much of an update may be put off to later ones. The default puts nothing off. Each backend
/// has its own measure of a pair test, and so its own order of evaluation.
struct Budget {
  std::uint64_t pair_tests = 0;     ///< per update, 0: no bound; deterministic
  std::uint32_t microseconds = 0;   ///< per update, 0: no bound; NOT deterministic
  std::uint16_t max_staleness = 5;  ///< no sensor is put off more often than that in a row
};

/// Options of a world, fixed from its creation on.
struct WorldOptions {
  Backend backend = Backend::grid;
  Metric metric = Metric::circle;
  /// The cells of the uniform grid cover it. Entities outside are treated exactly, only slower in
  /// crowds.
  Box bounds = {{-1024, -1024, 0}, {1024, 1024, 0}};
  /// The usual radius plus leave margin, in m: cells are a little larger. Larger sensors work; each
  /// doubling costs a layer of its own.
  float reach = 32;
  /// Updates for which a freed entity, sensor or wire index rests, so that messages under way to a
  /// client cannot hit its successor. 25 are 5 s at 200 ms.
  std::uint16_t quarantine = 25;
  /// Room reserved at once; the world grows beyond it.
  std::uint32_t expected_entities = 0;
  std::uint32_t expected_sensors = 0;
  SymmetricOptions symmetric = {};
  Budget budget = {};
  Simd simd = Simd::best;
};

}  // namespace starbus::aoi
