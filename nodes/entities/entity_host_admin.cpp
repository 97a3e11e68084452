// What a host shows to operators: /entities, and metrics.
#include <nlohmann/json.hpp>

#include "nodes/entities/entity_host.hpp"

namespace starbus::nodes::entities {
namespace {

using bus::daemon::Metrics;
using nlohmann::json;

/// What `value` reads of each type of which there was an entity.
template <class Value>
std::vector<Metrics::Sample> by_type(const entity::EntityManager& entities, Value value) {
  std::vector<Metrics::Sample> samples;
  for (const entity::EntityRow& row : entities.rows()) {
    samples.push_back({{{"type", std::string(row.type->name())}}, static_cast<double>(value(row))});
  }
  return samples;
}

}  // namespace

void EntityHost::add_admin(Node& node) {
  auto& context = node.process_context();
  context.admin.get("/entities", [this](const bus::daemon::Request&) {
    json rows = json::array();
    for (const entity::EntityRow& row : entities_->rows()) {
      rows.push_back({{"type", row.type->name()},
                      {"present", row.present()},
                      {"created", row.created},
                      {"ended", row.ended}});
    }
    json declared = json::array();
    for (const entity::TypeInfo* type : types_.types()) declared.push_back(type->name());
    return bus::daemon::Response::json({{"types", std::move(rows)},
                                        {"declared", std::move(declared)},
                                        {"present", entities_->size()},
                                        {"published", published_.size()},
                                        {"refused", entities_->counters().refused},
                                        {"failed_hooks", entities_->counters().failures},
                                        {"unsaved", counters_.unsaved},
                                        {"waits_for", waits_for()}});
  });
  Metrics& metrics = context.metrics;
  metrics.family("starbus_entities", "Entities here, by type.", Metrics::Kind::gauge, [this] {
    return by_type(*entities_, [](const auto& row) { return row.present(); });
  });
  metrics.family("starbus_entities_created_total", "Entities that came to live, by type.",
                 Metrics::Kind::counter, [this] {
                   return by_type(*entities_, [](const auto& row) { return row.created; });
                 });
  metrics.family("starbus_entities_ended_total", "Of these, that have ended.",
                 Metrics::Kind::counter,
                 [this] { return by_type(*entities_, [](const auto& row) { return row.ended; }); });
  const auto counter = [&](const char* name, const char* help, auto read) {
    metrics.counter(name, help, [this, read] { return static_cast<double>(read(*this)); });
  };
  counter("starbus_entities_refused_total", "Creations that failed.",
          [](const EntityHost& host) { return host.entities().counters().refused; });
  counter("starbus_entities_failed_hooks_total", "Hooks of entities that failed or threw.",
          [](const EntityHost& host) { return host.entities().counters().failures; });
  counter("starbus_entities_unsaved_total", "Entities that ended without being saved.",
          [](const EntityHost& host) { return host.counters().unsaved; });
  counter("starbus_entities_fenced_total", "Entities that ended with the lease.",
          [](const EntityHost& host) { return host.counters().fenced; });
  counter("starbus_entities_moved_out_total", "Entities that moved to another process.",
          [](const EntityHost& host) { return host.counters().moved_out; });
  counter("starbus_entities_moved_in_total", "Entities that moved here.",
          [](const EntityHost& host) { return host.counters().moved_in; });
  counter("starbus_entities_moves_failed_total", "Moves that failed: the entity went on here.",
          [](const EntityHost& host) { return host.counters().moves_failed; });
  counter("starbus_entities_arrivals_refused_total", "Entities that were not taken in.",
          [](const EntityHost& host) { return host.counters().arrivals_refused; });
  counter("starbus_entities_arrivals_lost_total", "Entities whose activation failed on arrival.",
          [](const EntityHost& host) { return host.counters().arrivals_lost; });
}

}  // namespace starbus::nodes::entities
