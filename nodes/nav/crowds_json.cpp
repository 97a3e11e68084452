#include "nodes/nav/crowds_json.hpp"

#include <nlohmann/json.hpp>

namespace starbus::nodes::crowds {

nlohmann::json json_of(const CrowdPool& pool) {
  const CrowdPoolCounts counts = pool.counts();
  return {{"crowds", counts.crowds},
          {"walkers", counts.walkers},
          {"maps", pool.maps().maps()},
          {"own_maps", counts.own_maps},
          {"map_loads", pool.maps().loads()},
          {"under_way", counts.under_way},
          {"batches", counts.batches},
          {"requests", counts.requests},
          {"moves", counts.moves},
          {"ends", counts.ends},
          {"refused", counts.refused},
          {"failed", counts.failed},
          {"expired", counts.expired},
          {"left_out_ms", counts.left_out_us / 1'000},
          {"batch_us", {{"p50", pool.took().percentile(50)}, {"p99", pool.took().percentile(99)}}}};
}

}  // namespace starbus::nodes::crowds
