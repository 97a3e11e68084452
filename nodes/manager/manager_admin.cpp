#include "nodes/manager/manager_admin.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "nodes/manager/manager_service.hpp"
#include "nodes/manager/report_json.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::manager {
namespace {

using daemon::AdminRole;
using daemon::Reply;
using daemon::Request;
using daemon::Response;

/// Runs as a coroutine of the service: it ends with it.
entity::rpc::Task<> skip(Node& node, std::string counter, std::uint64_t beyond, Reply reply) {
  auto skipping = skip_ids(node.bus(), counter, beyond);
  const bus::Result<IdRange> last = co_await std::move(skipping);
  if (last) {
    reply(Response::json({{"counter", counter}, {"next", last->last + 1}}));
  } else {
    reply(
        Response::error(last.error() == bus::Errc::bad_name ? 400 : 503, last.error().to_string()));
  }
}

void start_skip(Node& node, ManagerService& service, const Request& request, const Reply& reply) {
  const auto beyond = request.number_or("beyond", 0);
  if (!beyond || !request.parameter("beyond")) return reply(Response::no_number("beyond"));
  auto task = skip(node, request.parameter_or("counter", ""), *beyond, reply);
  const auto spawned = entity::rpc::spawn(node.rpc(), service, std::move(task));
  if (!spawned) reply(Response::error(503, spawned.error().to_string()));
}

void add_metrics(Node& node, const NodeTable& table, const LoadReports& reports) {
  auto& metrics = node.process_context().metrics;
  metrics.gauge("starbus_manager_nodes", "Nodes on the bus.",
                [&table] { return static_cast<double>(table.nodes().size()); });
  metrics.gauge("starbus_manager_nodes_ready", "Ready nodes.", [&table] {
    return static_cast<double>(
        std::ranges::count_if(table.nodes(), [](const auto& row) { return row.second.ready; }));
  });
  metrics.gauge("starbus_manager_nodes_silent", "Nodes on the bus that do not answer.", [&] {
    return static_cast<double>(std::ranges::count_if(table.nodes(), [&](const auto& row) {
      const LoadReports::Latest* const latest = reports.find(row.first);
      return latest != nullptr && !latest->answers;
    }));
  });
  metrics.gauge("starbus_manager_nodes_left_out", "Nodes left out because the table is full.",
                [&table] { return static_cast<double>(table.left_out()); });
}

}  // namespace

void add_manager_admin(Node& node, ManagerService& service, const NodeTable& table,
                       const LoadReports& reports) {
  auto& admin = node.process_context().admin;
  admin.get("/cluster", AdminRole::observe, [&service](const Request& request) {
    return Response::json(to_json(service.nodes_after(request.parameter_or("after", ""))));
  });
  admin.get("/shutdown", AdminRole::observe,
            [&service](const Request&) { return Response::json(to_json(service.shutdown_now())); });
  add_metrics(node, table, reports);
  node.process_context().metrics.gauge(
      "starbus_manager_quarantined", "Service instances in quarantine.",
      [&service] { return static_cast<double>(service.quarantined()); });
  admin.post_async("/ids/skip", [&node, &service](const Request& request, const Reply& reply) {
    start_skip(node, service, request, reply);
  });
}

}  // namespace starbus::nodes::manager
