// The manager's view of services: /services.
#include <nlohmann/json.hpp>

#include "bus/io/clock.hpp"
#include "nodes/manager/placement/service_placer.hpp"
#include "nodes/manager/report_json.hpp"

namespace starbus::nodes::manager {
namespace {

using nlohmann::json;

json json_of(const WantedType& wanted, const std::vector<WaitingType>& waiting) {
  json text = {{"type", wanted.type},
               {wanted.partitioned ? "partitions" : "instances", wanted.count},
               {"hosts", wanted.hosts},
               {"labels", wanted.labels}};
  for (const WaitingType& each : waiting) {
    if (each.type == wanted.type) text["waiting"] = each.reason;
  }
  return text;
}

json json_of(const std::string& process, const PlacementState::Host& host) {
  json rows = json::array();
  for (const service::InstanceRow& row : host.report.instances) {
    json text = {{"instance", service::to_string(row.id)}, {"state", name_of(row.state)}};
    if (row.problem.code != service::Errc::ok) text["problem"] = row.problem.to_string();
    rows.push_back(std::move(text));
  }
  return {{"host", process},
          {"answers", host.answered && !host.silent},
          {"labels", host.report.labels},
          {"types", host.report.types},
          {"capacity", host.report.capacity},
          {"instances", std::move(rows)}};
}

}  // namespace

void ServicePlacer::add_admin() {
  node_.process_context().admin.get(
      "/services", daemon::AdminRole::observe, [this](const daemon::Request&) {
        json services = json::array();
        for (const WantedType& each : state_.wanted())
          services.push_back(json_of(each, state_.waiting()));
        json hosts = json::array();
        for (const auto& [process, host] : state_.hosts()) hosts.push_back(json_of(process, host));
        return daemon::Response::json(
            {{"acts", manager_ != 0 && !held_()},
             {"plans", manager_ != 0 && !held_() && state_.plans(bus::io::boot_now())},
             {"hosts_left_out", state_.left_out()},
             {"orders_refused", refused_},
             {"setbacks", to_json(setbacks())},
             {"services", std::move(services)},
             {"hosts", std::move(hosts)}});
      });
}

}  // namespace starbus::nodes::manager
