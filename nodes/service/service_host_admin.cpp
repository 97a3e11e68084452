// The host's view for operators: /services, and metrics.
#include <array>
#include <nlohmann/json.hpp>

#include "nodes/service/service_host.hpp"

namespace starbus::nodes::service {
namespace {

using nlohmann::json;

constexpr std::array kStates = {InstanceState::claiming, InstanceState::starting,
                                InstanceState::opening,  InstanceState::serving,
                                InstanceState::stopping, InstanceState::failed};

json json_of(const InstanceRow& row) {
  json text = {{"instance", to_string(row.id)},
               {"channel", channel_name(row.id)},
               {"state", name_of(row.state)},
               {"epoch", bus::Epoch{row.epoch}.to_string()}};
  if (row.problem.code != Errc::ok) text["problem"] = row.problem.to_string();
  return text;
}

}  // namespace

void ServiceHost::add_admin(Node& node) {
  auto& context = node.process_context();
  context.admin.get("/services", daemon::AdminRole::observe, [this](const daemon::Request&) {
    const HostReport host = describe();
    json rows = json::array();
    for (const InstanceRow& row : host.instances) rows.push_back(json_of(row));
    return daemon::Response::json({{"labels", host.labels},
                                   {"types", host.types},
                                   {"capacity", host.capacity},
                                   {"instances", std::move(rows)}});
  });
  context.metrics.family(
      "starbus_service_instances", "Service instances in this process, by state.",
      daemon::Metrics::Kind::gauge, [this] {
        std::vector<daemon::Metrics::Sample> samples;
        for (const InstanceState state : kStates) {
          const auto count = std::ranges::count_if(
              instances_, [state](const auto& item) { return item.second->state() == state; });
          samples.push_back({{{"state", std::string(name_of(state))}}, static_cast<double>(count)});
        }
        return samples;
      });
  const auto counter = [&](const char* name, const char* help, std::uint64_t HostCounters::*what) {
    context.metrics.counter(name, help,
                            [this, what] { return static_cast<double>(counters_.*what); });
  };
  counter("starbus_service_started_total", "Service instances started in this process.",
          &HostCounters::started);
  counter("starbus_service_failed_total", "Service instances that failed to start.",
          &HostCounters::failed);
  counter("starbus_service_stopped_badly_total", "Service instances that failed to stop in time.",
          &HostCounters::stopped_badly);
  counter("starbus_service_lost_total", "Service instances ended by a lost lease.",
          &HostCounters::lost);
}

}  // namespace starbus::nodes::service
