// The description of an entity for people: one declaration shows its properties, too.
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "entity/machines/machine_group.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/root.hpp"

namespace starbus::entity {
namespace {

using Json = nlohmann::ordered_json;

double ms_of(Time time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::string text_of_json(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Json steps_of(const MovingCode& code, std::size_t& left_out) {
  Json rows = Json::array();
  if (code.parked()) return rows;  // they wait for the end of its move
  const NamedTimers& timers = code.timers();
  timers.for_each_due([&](std::string_view name, Time due, Time interval) {
    if (rows.size() == kShownSteps) return void(++left_out);
    rows.push_back({{"step", name},
                    {"due_in_ms", ms_of(due - timers.now())},
                    {"every_ms", interval == Time{} ? Json() : Json(ms_of(interval))}});
  });
  return rows;
}

/// Their deadlines are by `wheel`, if that is theirs.
Json machines_of(const MachineGroup& machines, const TimerWheel* wheel) {
  Json rows = Json::array();
  for (const MachineReport& each : machines.report()) {
    if (rows.size() == kShownMachines) break;
    const bool ends = each.deadline && wheel != nullptr;
    rows.push_back({{"machine", each.machine},
                    {"state", each.state},
                    {"in_state_ms", ms_of(each.in_state)},
                    {"deadline_in_ms", ends ? Json(ms_of(*each.deadline - wheel->now())) : Json()},
                    {"changes", each.changes},
                    {"ignored", each.ignored},
                    {"dropped", each.dropped}});
  }
  return rows;
}

Json watchers_of(const Root& properties) {
  Json rows = Json::object();
  for (std::size_t i = 0; i < kAudiences; ++i) {
    const auto audience = static_cast<Audience>(i);
    if (!properties.watched(audience)) continue;
    rows[std::string(name_of(view_of(audience)))] = properties.version(audience).stamp;
  }
  return rows;
}

}  // namespace

nlohmann::ordered_json EntityManager::describe(const Entity& entity) const {
  Json shown = {
      {"type", entity.type().name()},
      {"persistent_id", entity.persistent_id()},
      {"online_id", text_of(entity.online_id())},
      {"state", name_of(entity.life())},
      {"flags", entity.flags().bits()},
      {"space", entity.space() == OnlineId::none ? Json() : Json(text_of(entity.space()))}};
  Json components = Json::array();
  for (const Component* each : entity.components()) components.push_back(each->info_.name);
  shown["components"] = std::move(components);
  std::size_t left_out = 0;
  const MovingCode* const code = entity.code_if();
  shown["steps"] = code == nullptr ? Json::array() : steps_of(*code, left_out);
  if (left_out > 0) shown["steps_left_out"] = left_out;
  if (const MachineGroup* const machines = const_cast<Entity&>(entity).machines()) {
    shown["machines"] = machines_of(*machines, options_.timers);
    if (machines->size() > kShownMachines) {
      shown["machines_left_out"] = machines->size() - kShownMachines;
    }
  }
  shown["questions"] = entity.questions();
  shown["coroutines"] = entity.rpc_coroutines();
  shown["busy_ms_per_s"] = std::round(entity.busy_ms_per_s() * 1000) / 1000;
  if (options_.observer != nullptr) options_.observer->describe(entity, shown);
  // It is a method of a class that changes nothing here.
  Root* const properties = const_cast<Entity&>(entity).properties();
  if (properties == nullptr) return shown;
  shown["watched"] = watchers_of(*properties);
  shown["properties_memory"] = properties->memory();
  const nlohmann::json values = properties->to_json();
  if (const std::size_t size = text_of_json(values).size(); size > kShownProperties) {
    shown["properties_left_out"] = size;  // bytes
  } else {
    shown["properties"] = values;
  }
  return shown;
}

std::string Entity::inspect(rpc::Caller&) {
  return home().describe(*this).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace starbus::entity
