#include <nlohmann/json.hpp>

#include "entity/rpc/endpoint.hpp"

namespace starbus::entity::rpc {
namespace {

std::string hex(std::uint64_t value, int digits) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (int i = digits; i-- > 0; value >>= 4) {
    text[static_cast<std::size_t>(i)] = "0123456789abcdef"[value & 15];
  }
  return text;
}

}  // namespace

std::string Endpoint::inspect() const {
  using Json = nlohmann::ordered_json;
  const double tick = nanoseconds_per_tick();
  Json hosts = Json::array();
  std::size_t bound = 0;
  for (const Slot& slot : slots_) {
    if (slot.host == nullptr || !slot.name || ++bound > kInspectRows) continue;
    Json components = Json::array();
    for (const HostBase* component : slot.host->rpc_components()) {
      components.push_back(component->rpc_class().name);
    }
    hosts.push_back({{"name", *slot.name},
                     {"class", slot.host->rpc_class().name},
                     {"components", std::move(components)},
                     {"coroutines", slot.host->rpc_coroutines()},
                     {"busy_ms", static_cast<double>(slot.ticks) * tick / 1e6}});
  }
  Json methods = Json::array();
  for (const MethodInfo* method : dictionary_->methods()) {
    const MethodCounters& counted = methods_[method->index];
    methods.push_back({{"name", method->full_name()},
                       {"id", hex(method->id, 8)},
                       {"types", method->text},
                       {"signature", hex(method->signature, 8)},
                       {"permission", to_string(method->allow)},
                       {"coroutine", method->coroutine},
                       {"calls", counted.calls},
                       {"refused", counted.refused},
                       {"busy_ms", static_cast<double>(counted.ticks) * tick / 1e6},
                       {"longest_us", static_cast<double>(counted.longest) * tick / 1e3}});
  }
  Json errors = Json::object();
  for (const ErrorRow& row : error_rows()) {
    errors[std::string(row.name)] = counters_.errors[static_cast<std::size_t>(row.code)];
  }
  const Json report = {{"dictionary", hex(dictionary_->hash(), 16)},
                       {"gates", gates_.size()},
                       {"gates_known", gates_.known()},
                       {"hosts", std::move(hosts)},
                       {"hosts_left_out", bound > kInspectRows ? bound - kInspectRows : 0},
                       {"methods", std::move(methods)},
                       {"messages",
                        {{"local", counters_.local},
                         {"remote", counters_.remote},
                         {"queued", local_messages_},
                         {"fences", counters_.fences},
                         {"dropped_replies", counters_.dropped_replies},
                         {"answers", counters_.answers},
                         {"late_answers", counters_.late_answers}}},
                       {"pending_calls", calls_},
                       {"coroutines", running_},
                       {"errors", std::move(errors)}};
  return report.dump();
}

}  // namespace starbus::entity::rpc
