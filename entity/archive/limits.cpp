#include "entity/archive/limits.hpp"

namespace starbus::entity {
namespace {

constexpr DataLimit kLimitRows[] = {
#define X(constant, value, unit, reason, reached) {#constant, constant, unit, reason, reached},
    STARBUS_DATA_LIMITS(X)
#undef X
};

}  // namespace

std::span<const DataLimit> data_limits() {
  return kLimitRows;
}

}  // namespace starbus::entity
