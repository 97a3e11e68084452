#include "nodes/nav/crowds_app.hpp"

#include <nlohmann/json.hpp>

#include "daemon/metrics.hpp"
#include "nodes/nav/crowds_admin.hpp"
#include "nodes/nav/limits.hpp"

namespace starbus::nodes::crowds {

void CrowdsApp::configure(daemon::ConfigReader& reader) {
  daemon::ConfigReader table = reader.table("crowds");
  name_ = table.string("name", "service/crowds");
  maps_ = table.string("maps", "");
}

bus::Result<> CrowdsApp::start(Node& node) {
  pool_.emplace(node.tasks(), CrowdPoolOptions{.maps = maps_});
  calls_.emplace(*pool_);
  const auto beat =
      node.timers().every(timer_, kCrowdIdle / 10, kCrowdIdle / 10, entity::CatchUp::once, [this] {
        pool_->expire();
        calls_->forget_gone();
      });
  if (!beat) return beat.error();
  node.offer(name_, *calls_);
  add_metrics(node.process_context().metrics, *pool_);
  node.process_context().admin.get(
      "/crowds", daemon::AdminRole::observe,
      [this](const daemon::Request&) { return daemon::Response::json(json_of(*pool_)); });
  return {};
}

std::string CrowdsApp::status() const {
  if (!pool_) return {};
  return std::to_string(pool_->counts().crowds) + " crowds";
}

}  // namespace starbus::nodes::crowds
