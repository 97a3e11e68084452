#include "nodes/runtime/node_admin.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nodes/runtime/node_core.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {
namespace {

using daemon::AdminRole;
using daemon::Metrics;
using daemon::Request;
using daemon::Response;
using Json = nlohmann::ordered_json;

Json needs_json(const Requirements& requirements) {
  Json rows = Json::array();
  for (const Requirements::Row& row : requirements.rows()) {
    rows.push_back({{"name", row.wanted.name},
                    {"count", row.wanted.count},
                    {"there", row.there.size()},
                    {"known", row.complete},
                    {"met", row.met()}});
  }
  return rows;
}

Json offers_json(const Offers& offers) {
  Json rows = Json::array();
  for (const Offers::Row& row : offers.rows()) {
    rows.push_back({{"name", row.name}, {"bound", row.bound.empty() ? Json() : Json(row.bound)}});
  }
  return rows;
}

Json work_json(const Load& load, double tick) {
  Json rows = Json::array();
  for (const Load::Source* source : load.busiest(kInspectSources)) {
    rows.push_back({{"name", source->name},
                    {"count", source->count},
                    {"busy_ms_per_s", source->busy_ms_per_s},
                    {"busy_ms", static_cast<double>(source->ticks) * tick / 1e6},
                    {"longest_us", static_cast<double>(source->longest) * tick / 1e3}});
  }
  return rows;
}

Json load_json(NodeCore& core) {
  const Load& load = core.main_loop().load();
  const std::size_t kinds = load.size();
  return {{"busy_ms_per_s", core.busy().rates().busy},
          {"processor_ms_per_s", core.busy().rates().processor},
          {"handlers_ms_per_s", core.busy().rates().handlers},
          {"stalls", core.stalls()},
          {"work", work_json(load, core.nanoseconds_per_tick())},
          {"work_left_out", kinds > kInspectSources ? kinds - kInspectSources : 0}};
}

Json loop_json(NodeCore& core) {
  const LoopCounters& counters = core.main_loop().counters();
  return {{"passes", counters.passes},           {"capped", counters.capped},
          {"timers", counters.timers},           {"closures", counters.closures},
          {"posted", core.main_loop().posted()}, {"timers_set", core.main_loop().timers().size()}};
}

Json ticks_json(Ticker& ticks) {
  Json functions = Json::array();
  const auto rows = ticks.schedule().rows();
  for (const entity::TickSchedule::Row& row : rows) {
    if (functions.size() == kInspectSources) break;
    functions.push_back({{"name", row.name},
                         {"phase", entity::name_of(row.phase)},
                         {"interval_ms", row.interval / std::chrono::milliseconds(1)},
                         {"enabled", row.enabled},
                         {"runs", row.runs},
                         {"missed", row.missed}});
  }
  return {{"period_ms", ticks.period() / std::chrono::milliseconds(1)},
          {"ticks", ticks.ticks()},
          {"missed", ticks.missed()},
          {"functions_left_out", rows.size() - functions.size()},
          {"functions", std::move(functions)}};
}

Json exceptions_json(const ThrownUnits& thrown) {
  Json kinds = Json::object();
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const auto kind = static_cast<UnitKind>(i);
    kinds[std::string(name_of(kind))] = thrown.of(kind);
  }
  return {{"total", thrown.total()}, {"kinds", std::move(kinds)}};
}

Json tasks_json(const TaskCounts& counts) {
  return {{"submitted", counts.submitted}, {"run", counts.run},
          {"dropped", counts.dropped},     {"waiting", counts.waiting},
          {"running", counts.running},     {"channels", counts.channels}};
}

Json bus_json(const bus::BusCounters& counters) {
  return {{"sent", counters.sent},
          {"acknowledged", counters.acknowledged},
          {"failed", counters.failed},
          {"undelivered", counters.undelivered},
          {"resends", counters.resends},
          {"handled", counters.handled},
          {"calls", counters.calls},
          {"calls_timed_out", counters.calls_timed_out},
          {"replies_late", counters.replies_late},
          {"replies_unknown", counters.replies_unknown},
          {"replies_kept", counters.replies_kept},
          {"replies_failed", counters.replies_failed},
          {"replies_dropped", counters.replies_dropped},
          {"connects", counters.connects},
          {"unacknowledged_bytes", counters.unacknowledged_bytes}};
}

Response inspect(NodeCore& core) {
  const Json report = {{"node", core.name()},
                       {"process", core.process()},
                       {"role", core.role()},
                       {"state", name_of(core.lifecycle().state())},
                       {"status", core.status()},
                       {"needs", needs_json(core.requirements())},
                       {"offers", offers_json(core.offers())},
                       {"load", load_json(core)},
                       {"loop", loop_json(core)},
                       {"exceptions", exceptions_json(core.thrown())},
                       {"ticks", ticks_json(core.ticks())},
                       {"tasks", tasks_json(core.tasks().counts())},
                       {"bus", bus_json(core.bus().counters())}};
  return {200, "application/json",
          report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

std::vector<Metrics::Sample> states(const NodeCore& core) {
  std::vector<Metrics::Sample> samples;
  for (const NodeState state : {NodeState::starting, NodeState::registered, NodeState::ready,
                                NodeState::draining, NodeState::stopped}) {
    samples.push_back(
        {{{"state", std::string(name_of(state))}}, core.lifecycle().state() == state ? 1.0 : 0.0});
  }
  return samples;
}

std::vector<Metrics::Sample> work_seconds(NodeCore& core) {
  std::vector<Metrics::Sample> samples;
  const double tick = core.nanoseconds_per_tick();
  for (const Load::Source* source : core.main_loop().load().busiest(kInspectSources)) {
    samples.push_back({{{"work", source->name}}, static_cast<double>(source->ticks) * tick / 1e9});
  }
  return samples;
}

/// The values that `value` reads of each method that was called.
template <class Value>
std::vector<Metrics::Sample> of_methods(NodeCore& core, Value value) {
  std::vector<Metrics::Sample> samples;
  for (const entity::rpc::MethodInfo* method : core.rpc().dictionary().methods()) {
    const entity::rpc::MethodCounters counters = core.rpc().work().of(*method);
    if (counters.calls == 0) continue;
    samples.push_back({{{"method", method->full_name()}}, value(counters)});
  }
  return samples;
}

/// Kinds that have thrown nothing are there, too: a rule for alarms needs their 0.
std::vector<Metrics::Sample> exceptions(NodeCore& core) {
  std::vector<Metrics::Sample> samples;
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const auto kind = static_cast<UnitKind>(i);
    samples.push_back(
        {{{"kind", std::string(name_of(kind))}}, static_cast<double>(core.thrown().of(kind))});
  }
  return samples;
}

std::vector<Metrics::Sample> answers_seconds(NodeCore& core) {
  std::vector<Metrics::Sample> samples;
  const double tick = core.nanoseconds_per_tick();
  for (const entity::rpc::MethodInfo* method : core.rpc().dictionary().methods()) {
    const std::uint64_t ticks = core.rpc().work().of(*method).answers.ticks;
    if (ticks == 0) continue;
    samples.push_back({{{"method", method->full_name()}}, static_cast<double>(ticks) * tick / 1e9});
  }
  return samples;
}

std::vector<Metrics::Sample> spawned_seconds(NodeCore& core) {
  std::vector<Metrics::Sample> samples;
  const double tick = core.nanoseconds_per_tick();
  for (const auto& [info, load] : core.rpc().work().spawned()) {
    samples.push_back(
        {{{"class", std::string(info->name)}}, static_cast<double>(load.ticks) * tick / 1e9});
  }
  return samples;
}

/// The values that `value` reads of each class of which an object could be called.
template <class Value>
std::vector<Metrics::Sample> of_classes(NodeCore& core, Value value) {
  std::vector<Metrics::Sample> samples;
  for (const auto& [info, load] : core.rpc().loads()) {
    samples.push_back({{{"class", std::string(info->name)}}, value(info, load)});
  }
  return samples;
}

void add_metrics(NodeCore& core) {
  Metrics& metrics = core.context().metrics;
  metrics.family("starbus_node_state", "1 for the state that the node is in.", Metrics::Kind::gauge,
                 [&core] { return states(core); });
  const auto gauge = [&](const char* name, const char* help, auto read) {
    metrics.gauge(name, help, [&core, read] { return static_cast<double>(read(core)); });
  };
  gauge("starbus_node_busy_ms_per_second", "Milliseconds per second spent in handlers (0-1000).",
        [](NodeCore& c) { return c.busy().rates().busy; });
  gauge("starbus_node_posted", "Posted closures waiting for the loop.",
        [](NodeCore& c) { return c.main_loop().posted(); });
  gauge("starbus_node_timers", "Timers set.",
        [](NodeCore& c) { return c.main_loop().timers().size(); });
  gauge("starbus_node_tasks", "Tasks waiting for a worker or running.",
        [](NodeCore& c) { return c.tasks().counts().unfinished(); });
  gauge("starbus_node_requirements_missing", "Requirements not met.", [](NodeCore& c) {
    return std::ranges::count_if(c.requirements().rows(),
                                 [](const Requirements::Row& row) { return !row.met(); });
  });
  const auto counter = [&](const char* name, const char* help, auto read) {
    metrics.counter(name, help, [&core, read] { return static_cast<double>(read(core)); });
  };
  counter("starbus_node_passes_total", "Passes of the loop over timers and closures.",
          [](NodeCore& c) { return c.main_loop().counters().passes; });
  counter("starbus_node_capped_passes_total", "Passes that ended at their limit with work left.",
          [](NodeCore& c) { return c.main_loop().counters().capped; });
  counter("starbus_node_ticks_total", "Ticks of the loop, missed ones included.",
          [](NodeCore& c) { return c.ticks().ticks(); });
  counter("starbus_node_missed_ticks_total",
          "Ticks merged into a later one because the loop was late.",
          [](NodeCore& c) { return c.ticks().missed(); });
  counter("starbus_node_stalls_total", "Handlers that blocked the loop for longer than the limit.",
          [](NodeCore& c) { return c.stalls(); });
  metrics.family("starbus_node_work_seconds_total", "Seconds of the loop, by kind of work.",
                 Metrics::Kind::counter, [&core] { return work_seconds(core); });
  metrics.family("starbus_node_rpc_calls_total", "RPC calls handled, by method.",
                 Metrics::Kind::counter, [&core] {
                   return of_methods(core, [](const auto& counters) {
                     return static_cast<double>(counters.calls);
                   });
                 });
  metrics.family("starbus_node_exceptions_total", "Pieces of work ended by an exception, by kind.",
                 Metrics::Kind::counter, [&core] { return exceptions(core); });
  metrics.family("starbus_node_rpc_exceptions_total", "RPC calls ended by an exception, by method.",
                 Metrics::Kind::counter, [&core] {
                   return of_methods(core, [](const auto& counters) {
                     return static_cast<double>(counters.threw);
                   });
                 });
  metrics.family(
      "starbus_node_rpc_busy_ms_per_second",
      "Milliseconds per second spent in RPC methods (0-1000), by method.", Metrics::Kind::gauge,
      [&core] {
        std::vector<Metrics::Sample> samples;
        for (const entity::rpc::MethodInfo* method : core.rpc().dictionary().methods()) {
          if (core.rpc().work().of(*method).calls == 0) continue;
          samples.push_back({{{"method", method->full_name()}}, core.rpc_load().of(*method)});
        }
        return samples;
      });
  metrics.family(
      "starbus_node_objects", "Callable objects, by class.", Metrics::Kind::gauge, [&core] {
        return of_classes(
            core, [](const auto*, const auto& load) { return static_cast<double>(load.objects); });
      });
  metrics.family("starbus_node_objects_busy_ms_per_second",
                 "Milliseconds per second spent in calls of objects (0-1000), by class.",
                 Metrics::Kind::gauge, [&core] {
                   return of_classes(core, [&core](const auto* info, const auto&) {
                     return core.rpc_load().of(info);
                   });
                 });
  metrics.family("starbus_node_objects_seconds_total",
                 "Seconds of the loop in calls of objects, by class.", Metrics::Kind::counter,
                 [&core] {
                   const double tick = core.nanoseconds_per_tick();
                   return of_classes(core, [tick](const auto*, const auto& load) {
                     return static_cast<double>(load.ticks) * tick / 1e9;
                   });
                 });
  metrics.family("starbus_node_rpc_seconds_total", "Seconds of the loop in RPC methods, by method.",
                 Metrics::Kind::counter, [&core] {
                   const double tick = core.nanoseconds_per_tick();
                   return of_methods(core, [tick](const auto& counters) {
                     return static_cast<double>(counters.ticks) * tick / 1e9;
                   });
                 });
  metrics.family("starbus_node_rpc_answers_seconds_total",
                 "Seconds of the loop in reply callbacks, by the called method.",
                 Metrics::Kind::counter, [&core] { return answers_seconds(core); });
  metrics.family("starbus_node_spawned_seconds_total",
                 "Seconds of the loop in spawned coroutines, by class of the object.",
                 Metrics::Kind::counter, [&core] { return spawned_seconds(core); });
}

}  // namespace

void add_node_admin(NodeCore& core) {
  auto& admin = core.context().admin;
  admin.get("/inspect", AdminRole::observe, [&core](const Request&) { return inspect(core); });
  admin.get("/rpc", AdminRole::observe, [&core](const Request&) {
    return Response{200, "application/json", core.rpc().inspect() + "\n"};
  });
  add_metrics(core);
}

}  // namespace starbus::nodes
