#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/hex.hpp"
#include "entity/rpc/callable.hpp"
#include "entity/rpc/endpoint/endpoint_core.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {
namespace {

using Json = nlohmann::ordered_json;

Json host_row(const Slot& slot, double tick) {
  Json components = Json::array();
  for (const CallableBase* component : slot.host->rpc_components()) {
    components.push_back(component->rpc_class().name);
  }
  return {{"name", *slot.name},
          {"class", slot.host->rpc_class().name},
          {"components", std::move(components)},
          {"coroutines", slot.host->rpc_coroutines()},
          {"busy_ms_per_s", slot.host->busy_ms_per_s()},
          {"busy_ms", static_cast<double>(slot.ticks) * tick / 1e6}};
}

/// The busiest of the latest second first, then by time in all, then as they were bound.
std::vector<const Slot*> busiest(const std::deque<Slot>& slots) {
  std::vector<std::tuple<double, std::uint64_t, const Slot*>> bound;
  for (const Slot& slot : slots) {
    if (slot.host == nullptr || !slot.name) continue;
    bound.emplace_back(-slot.host->busy_ms_per_s(), ~slot.ticks, &slot);
  }
  const auto before = [](const auto& a, const auto& b) {
    return std::tuple(std::get<0>(a), std::get<1>(a), std::get<2>(a)->ref.index) <
           std::tuple(std::get<0>(b), std::get<1>(b), std::get<2>(b)->ref.index);
  };
  const std::size_t shown = std::min(kInspectRows, bound.size());
  std::ranges::partial_sort(bound, bound.begin() + static_cast<std::ptrdiff_t>(shown), before);
  std::vector<const Slot*> rows;
  rows.reserve(bound.size());
  for (const auto& row : bound) rows.push_back(std::get<2>(row));
  return rows;
}

Json spawned_rows(const WorkMeter& meter, double tick) {
  const auto& loads = meter.spawned();
  std::vector<std::pair<const ClassInfo*, SpawnedLoad>> all(loads.begin(), loads.end());
  std::ranges::sort(all, std::greater<>(), [](const auto& row) { return row.second.ticks; });
  Json rows = Json::array();
  for (const auto& [info, load] : all) {
    rows.push_back({{"class", info->name},
                    {"coroutines", load.coroutines},
                    {"threw", load.threw},
                    {"busy_ms", static_cast<double>(load.ticks) * tick / 1e6},
                    {"longest_us", static_cast<double>(load.longest) * tick / 1e3}});
  }
  return rows;
}

}  // namespace

std::string detail::EndpointCore::inspect() const {
  const double tick = meter.nanoseconds_per_tick();
  Json hosts = Json::array();
  const std::vector<const Slot*> bound = busiest(bindings.slots());
  const std::size_t hosts_shown = std::min(kInspectRows, bound.size());
  for (const Slot* slot : std::span(bound).first(hosts_shown)) {
    hosts.push_back(host_row(*slot, tick));
  }
  const auto known = dictionary.methods();
  std::vector<const MethodInfo*> by_time(known.begin(), known.end());
  std::ranges::stable_sort(by_time, [this](const MethodInfo* a, const MethodInfo* b) {
    return meter.of(*a).ticks > meter.of(*b).ticks;
  });
  Json methods = Json::array();
  for (const MethodInfo* method : by_time) {
    const MethodCounters& counted = meter.of(*method);
    methods.push_back(
        {{"name", method->full_name()},
         {"id", hex_of(method->id)},
         {"types", method->text},
         {"signature", hex_of(method->signature)},
         {"permission", to_string(method->allow)},
         {"coroutine", method->coroutine},
         {"calls", counted.calls},
         {"refused", counted.refused},
         {"threw", counted.threw},
         {"busy_ms", static_cast<double>(counted.ticks) * tick / 1e6},
         {"longest_us", static_cast<double>(counted.longest) * tick / 1e3},
         {"answers_busy_ms", static_cast<double>(counted.answers.ticks) * tick / 1e6},
         {"answers_longest_us", static_cast<double>(counted.answers.longest) * tick / 1e3}});
  }
  Json errors = Json::object();
  for (const ErrorInfo& row : kErrors.errors) {
    errors[std::string(row.name)] = counters.errors[row.number];
  }
  const Json report = {{"dictionary", hex_of(dictionary.hash())},
                       {"gates", gates.gates().size()},
                       {"servers", gates.servers().size()},
                       {"gates_known", gates.known()},
                       {"hosts", std::move(hosts)},
                       {"hosts_left_out", bound.size() - hosts_shown},
                       {"methods", std::move(methods)},
                       {"spawned", spawned_rows(meter, tick)},
                       {"messages",
                        {{"local", counters.local},
                         {"remote", counters.remote},
                         {"queued", local.queued()},
                         {"fences", counters.fences},
                         {"dropped_replies", counters.dropped_replies},
                         {"answers", counters.answers},
                         {"late_answers", counters.late_answers}}},
                       {"pending_calls", calls.size()},
                       {"coroutines", running.size()},
                       {"errors", std::move(errors)}};
  return report.dump();
}

}  // namespace starbus::entity::rpc
