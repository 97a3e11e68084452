#include "nodes/runtime/node_control.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "nodes/runtime/node_core.hpp"

namespace starbus::nodes {

NodeReport NodeControl::report(entity::rpc::Caller&) {
  NodeReport report;
  report.role = core_.role();
  report.state = core_.lifecycle().state();
  report.status = core_.status();
  report.busy_ms_per_s = core_.busy().rates().busy;
  report.stalls = core_.stalls();
  report.posted = core_.main_loop().posted();
  report.tasks = core_.tasks().counts().unfinished();
  report.dictionary = core_.rpc().dictionary().hash();
  return report;
}

NodeAnswer NodeControl::look(entity::rpc::Caller&, std::string target) {
  daemon::Response response = core_.context().admin.look(target, daemon::AdminRole::read);
  return {response.status, std::move(response.body)};
}

void NodeControl::drain(entity::rpc::Caller&) {
  spdlog::info("asked over the bus to drain");
  core_.context().stop({});
}

void NodeControl::end_with_cluster(entity::rpc::Caller&) {
  spdlog::info("asked over the bus to drain, with the cluster");
  core_.end_with_cluster();
}

}  // namespace starbus::nodes
