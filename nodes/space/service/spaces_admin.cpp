#include "nodes/space/service/spaces_admin.hpp"

#include <nlohmann/json.hpp>

#include "bus/io/clock.hpp"
#include "nodes/space/service/limits.hpp"
#include "nodes/space/service/space_service.hpp"

namespace starbus::nodes::space {
namespace {

using daemon::Metrics;
using nlohmann::json;

json json_of(const LineView& view) {
  return {{"space", to_string(view.space)},
          {"state", view.state},
          {"node", view.node},
          {"taken", view.taken},
          {"soft_capacity", view.soft_capacity},
          {"capacity", view.capacity}};
}

json json_of(const std::string& process, const SpaceNode& node, Time now) {
  return {{"node", process},
          {"announced", node.announced},
          {"silent", node.silent(now)},
          {"draining", node.draining},
          {"full", node.full},
          {"busy_ms_per_s", node.load},
          {"pending_weight", node.work.weight},
          {"spaces", node.work.lives.size()},
          {"starting", node.work.starting},
          {"types", node.types},
          {"labels", node.labels}};
}

const Registry* registry_of(const SpaceDesk& desk) {
  return desk.service == nullptr ? nullptr : desk.service->registry();
}

/// ?after=town-3. nullopt: it is not the name of a space.
std::optional<SpaceName> after_of(const daemon::Request& request) {
  const std::string text(request.parameter_or("after", ""));
  if (text.empty()) return SpaceName{{}, 0};
  return space_of_channel(std::string(kSpaces) + text);
}

}  // namespace

json spaces_page(const SpaceDesk& desk, const SpaceName& after) {
  json types = json::array();
  for (const auto& [name, type] : desk.types) types.push_back(name);
  json page = {{"here", desk.service != nullptr}, {"types", std::move(types)}};
  const Registry* const registry = registry_of(desk);
  if (registry == nullptr) return page;
  const Time now = bus::io::boot_now();
  page["superseded"] = desk.service->superseded();
  page["rebuilding"] = registry->rebuilding();
  page["waiters"] = registry->waiters();
  page["nodes_left_out"] = registry->nodes().left_out();
  page["nodes"] = json::array();
  for (const auto& [process, node] : registry->nodes().nodes()) {
    page["nodes"].push_back(json_of(process, node, now));
  }
  const SpacesPage shown = desk.service->page(after, kSpacesPage);
  page["more"] = shown.more;
  page["spaces"] = json::array();
  for (const LineView& view : shown.spaces) page["spaces"].push_back(json_of(view));
  return page;
}

void add_spaces_admin(daemon::DaemonContext& context, const SpaceDesk& desk) {
  context.admin.get("/spaces", daemon::AdminRole::observe, [&desk](const daemon::Request& request) {
    const auto after = after_of(request);
    if (!after) return daemon::Response::error(400, "after: give the name of a space, as town-3");
    return daemon::Response::json(spaces_page(desk, *after));
  });
  context.admin.offer("/spaces");  // for bustop spaces
  context.metrics.gauge(
      "starbus_space_waiters", "Requests that wait for seats in a space.", [&desk] {
        const Registry* const registry = registry_of(desk);
        return registry == nullptr ? 0.0 : static_cast<double>(registry->waiters());
      });
  context.metrics.family(
      "starbus_space_spaces", "Spaces of the cluster, by state.", Metrics::Kind::gauge, [&desk] {
        std::vector<Metrics::Sample> samples;
        const Registry* const registry = registry_of(desk);
        if (registry == nullptr) return samples;
        const auto states = registry->states();
        for (std::size_t i = 0; i < states.size(); ++i) {
          samples.push_back(
              {{{"state", name_of(static_cast<SpaceState>(i))}}, static_cast<double>(states[i])});
        }
        return samples;
      });
  context.metrics.family("starbus_space_answers_total", "Answers to requests to enter, by result.",
                         Metrics::Kind::counter, [&desk] {
                           std::vector<Metrics::Sample> samples;
                           for (const auto& [result, count] : desk.counters.answers) {
                             samples.push_back({{{"result", result}}, static_cast<double>(count)});
                           }
                           return samples;
                         });
  const auto counter = [&](const char* name, const char* help, std::uint64_t SpaceCounters::*what) {
    context.metrics.counter(name, help,
                            [&desk, what] { return static_cast<double>(desk.counters.*what); });
  };
  counter("starbus_space_orders_total", "Orders sent to nodes that run spaces.",
          &SpaceCounters::orders);
  counter("starbus_space_orders_undelivered_total", "Orders that no node has handled.",
          &SpaceCounters::undelivered);
  counter("starbus_space_orders_uncertain_total", "Orders whose outcome is unknown.",
          &SpaceCounters::uncertain);
  counter("starbus_space_orders_stale_total", "Orders refused by nodes that obey a later service.",
          &SpaceCounters::stale);
  counter("starbus_space_bad_news_total", "Announcements of nodes that cannot be true.",
          &SpaceCounters::bad_news);
}

}  // namespace starbus::nodes::space
