#include "nodes/nav/crowds_admin.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "daemon/metrics.hpp"

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

void add_metrics(daemon::Metrics& metrics, const CrowdPool& pool) {
  const auto gauge = [&](const char* name, const char* help, std::size_t CrowdPoolCounts::*what) {
    metrics.gauge(name, help, [&pool, what] { return static_cast<double>(pool.counts().*what); });
  };
  gauge("starbus_crowds", "Crowds of this process.", &CrowdPoolCounts::crowds);
  gauge("starbus_crowd_own_maps", "Crowds with a map of their own.", &CrowdPoolCounts::own_maps);
  gauge("starbus_crowd_room", "Walkers for which crowds have room.", &CrowdPoolCounts::walkers);
  gauge("starbus_crowd_batches_under_way", "Batches that workers have.",
        &CrowdPoolCounts::under_way);
  metrics.gauge("starbus_crowd_maps", "Maps that crowds share.",
                [&pool] { return static_cast<double>(pool.maps().maps()); });
  const auto counter = [&](const char* name, const char* help,
                           std::uint64_t CrowdPoolCounts::*what) {
    metrics.counter(name, help, [&pool, what] { return static_cast<double>(pool.counts().*what); });
  };
  counter("starbus_crowd_batches_total", "Batches that crowds were given.",
          &CrowdPoolCounts::batches);
  counter("starbus_crowd_requests_total", "Requests of those batches.", &CrowdPoolCounts::requests);
  counter("starbus_crowd_moves_total", "Places of walkers that spaces were told.",
          &CrowdPoolCounts::moves);
  counter("starbus_crowd_ends_total", "Ends of commands that spaces were told.",
          &CrowdPoolCounts::ends);
  counter("starbus_crowd_refused_total", "Requests that were refused.", &CrowdPoolCounts::refused);
  counter("starbus_crowd_failed_total", "Crowds that ended since a worker threw.",
          &CrowdPoolCounts::failed);
  counter("starbus_crowd_expired_total", "Crowds that ended since nobody asked for them.",
          &CrowdPoolCounts::expired);
  metrics.counter(
      "starbus_crowd_left_out_seconds_total",
      "Seconds of walking that were left out: a batch asked for too much, or took long.",
      [&pool] { return static_cast<double>(pool.counts().left_out_us) / 1e6; });
  metrics.family(
      "starbus_crowd_batch_seconds", "Seconds that a batch takes a worker.",
      daemon::Metrics::Kind::gauge, [&pool] {
        std::vector<daemon::Metrics::Sample> samples;
        for (const auto& [quantile, percent] : {std::pair{"0.5", 50.0}, {"0.99", 99.0}}) {
          const auto us = static_cast<double>(pool.took().percentile(percent));
          samples.push_back({{{"quantile", quantile}}, us / 1e6});
        }
        return samples;
      });
}

}  // namespace starbus::nodes::crowds
