#include "aoi/check.hpp"

#include <algorithm>
#include <cmath>

#include "aoi/index/cells.hpp"
#include "aoi/limits.hpp"

namespace starbus::aoi {
namespace {

constexpr float kMinReach = 1;

bool not_negative(float value) {
  return std::isfinite(value) && value >= 0;
}

Result<> check_symmetric(const SymmetricOptions& options) {
  if (options.capacity == 0 || options.capacity > kMaxLimit) {
    return Error(Errc::bad_option, "symmetric.capacity");
  }
  if (!(options.cell >= kMinReach && options.cell <= kMaxRadius)) {
    return Error(Errc::bad_option, "symmetric.cell");
  }
  if (!(options.search_cell >= 0.25F && options.search_cell <= options.cell)) {
    return Error(Errc::bad_option, "symmetric.search_cell");
  }
  const bool rising = options.bands[0] >= 0 && options.bands[1] >= options.bands[0] &&
                      options.bands[2] >= options.bands[1] && std::isfinite(options.bands[2]);
  if (!rising) return Error(Errc::bad_option, "symmetric.bands");
  if (!not_negative(options.replace_within)) {
    return Error(Errc::bad_option, "symmetric.replace_within");
  }
  if (options.refresh == 0) return Error(Errc::bad_option, "symmetric.refresh");
  return {};
}

}  // namespace

bool finite(const Position& at) {
  return std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z);
}

Result<> check_radius(float radius, float leave_margin) {
  if (!not_negative(radius)) return Error(Errc::bad_option, "radius");
  if (!not_negative(leave_margin)) return Error(Errc::bad_option, "leave_margin");
  if (radius + leave_margin > static_cast<float>(kMaxRadius)) {
    return Error(Errc::too_large, "radius");
  }
  return {};
}

Result<> check(const WorldOptions& options) {
  const Box& box = options.bounds;
  const auto most = static_cast<float>(kMaxCoordinate);
  const auto inside = [&](float value) { return value >= -most && value <= most; };
  const bool ordered = box.min.x < box.max.x && box.min.y < box.max.y;
  if (!ordered || !inside(box.min.x) || !inside(box.max.x) || !inside(box.min.y) ||
      !inside(box.max.y)) {
    return Error(Errc::bad_option, "bounds");
  }
  if (!(options.reach >= kMinReach && options.reach <= kMaxRadius)) {
    return Error(Errc::bad_option, "reach");
  }
  if (options.backend == Backend::grid && UniformCells::count(box, options.reach) > kMaxCells) {
    return Error(Errc::too_large, "bounds: more than kMaxCells cells; use the hashed grid");
  }
  if (options.budget.max_staleness == 0 || options.budget.max_staleness > kMaxStaleness) {
    return Error(Errc::bad_option, "budget.max_staleness");
  }
  return check_symmetric(options.symmetric);
}

Result<> check(const EntityOptions& of) {
  if (!finite(of.position)) return Errc::bad_position;
  if (!std::isfinite(of.weight)) return Error(Errc::bad_option, "weight");
  return {};
}

Result<> check(const SensorOptions& of) {
  if (const auto good = check_radius(of.radius, of.leave_margin); !good) return good;
  const bool ordered = std::isfinite(of.min_height) && std::isfinite(of.max_height) &&
                       of.min_height <= of.max_height;
  if (!ordered) return Error(Errc::bad_option, "min_height, max_height");
  if (of.limit.policy != LimitPolicy::none && (of.limit.count == 0 || of.limit.count > kMaxLimit ||
                                               !(of.limit.margin >= 0) || of.limit.margin >= 1)) {
    return Error(Errc::bad_option, "limit");
  }
  if (of.period == 0 || of.period > kMaxPeriod) return Error(Errc::bad_option, "period");
  if (of.limit.policy == LimitPolicy::symmetric && (of.min_height != 0 || of.max_height != 0)) {
    return Error(Errc::bad_option, "symmetric lists know no heights");
  }
  return {};
}

}  // namespace starbus::aoi
