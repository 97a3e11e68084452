// What a host shows to operators: /entities, and metrics.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::entities {
namespace {

using bus::daemon::Metrics;
using bus::daemon::Request;
using bus::daemon::Response;
using entity::Entity;
using entity::OnlineId;
using nlohmann::ordered_json;

Response json_response(const ordered_json& body) {
  return {200, "application/json",
          body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

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

/// By its online id, its persistent id, or the name of its channel.
Entity* EntityHost::find_for_people(const std::string& name) const {
  if (auto* const host = endpoint_.bound_at(name)) {
    // What is bound here and is no entity is in no walk either.
    for (const auto& [id, published] : published_) {
      Entity* const entity = entities_->find(OnlineId{id});
      if (entity == host) return entity;
    }
  }
  if (Entity* const entity = entities_->find_persistent(name)) return entity;
  std::uint64_t id = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), id, 16);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == name.data() + name.size();
  return whole ? entities_->find(OnlineId{id}) : nullptr;
}

Response EntityHost::show_one(const std::string& name) const {
  const Entity* const entity = find_for_people(name);
  if (entity == nullptr) return Response::error(404, "no entity of that name, or id, is here");
  return json_response(entities_->describe(*entity));
}

void EntityHost::describe(const Entity& entity, ordered_json& shown) const {
  const auto id = static_cast<std::uint64_t>(entity.online_id());
  const auto published = published_.find(id);
  shown["channel"] = endpoint_.channel_of(entity);
  shown["epoch"] = published == published_.end() ? 0 : published->second.epoch;
  shown["moving"] = leaving_.contains(id);
  shown["unsaved"] = unsaved_.has(id);
  shown["saving"] = saves_.has(std::string(entity.type().name()), entity.persistent_id());
  const replica::Publisher* const publisher = sync_.publisher(entity);
  shown["mirrors"] = publisher == nullptr ? ordered_json() : ordered_json(publisher->mirrors());
}

/// Those of a type, the oldest first, from behind one of them on.
Response EntityHost::show_page(const Request& request) const {
  const std::string type = request.parameter_or("type", "");
  const std::string after = request.parameter_or("after", "");
  ordered_json rows = ordered_json::array();
  bool begun = after.empty();
  ordered_json next;
  entities_->for_each<Entity>([&](const Entity& entity) {
    if (entity.type().name() != type || !next.is_null()) return;
    const std::string id = text_of(entity.online_id());
    if (!std::exchange(begun, begun || id == after)) return;
    if (rows.size() == kShownEntities) return void(next = rows.back()["online_id"]);
    const auto number = static_cast<std::uint64_t>(entity.online_id());
    rows.push_back({{"online_id", id},
                    {"persistent_id", entity.persistent_id()},
                    {"channel", endpoint_.channel_of(entity)},
                    {"state", name_of(entity.life())},
                    {"unsaved", unsaved_.has(number)}});
  });
  return json_response({{"type", type}, {"entities", std::move(rows)}, {"after", next}});
}

/// Looks at all of them, for whoever asks: nothing is kept of who is busy but in each of them.
Response EntityHost::show_busiest(const Request& request) const {
  const auto most = request.number_or("busiest", 0);
  if (!most || *most == 0 || *most > kBusiestEntities) {
    return Response::error(400, "busiest: 1 to " + std::to_string(kBusiestEntities) + " entities");
  }
  std::vector<std::pair<double, const Entity*>> busy;
  entities_->for_each<Entity>([&](const Entity& entity) {
    if (const double ms = entity.busy_ms_per_s(); ms > 0) busy.emplace_back(ms, &entity);
  });
  const std::size_t shown = std::min<std::size_t>(*most, busy.size());
  std::ranges::partial_sort(busy, busy.begin() + static_cast<std::ptrdiff_t>(shown),
                            std::greater<>(), [](const auto& row) { return row.first; });
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [ms, entity] = busy[i];
    rows.push_back({{"type", entity->type().name()},
                    {"online_id", text_of(entity->online_id())},
                    {"persistent_id", entity->persistent_id()},
                    {"channel", endpoint_.channel_of(*entity)},
                    {"busy_ms_per_s", ms}});
  }
  return json_response({{"busiest", std::move(rows)}, {"busy", busy.size()}});
}

Response EntityHost::show_all() const {
  ordered_json rows = ordered_json::array();
  for (const entity::EntityRow& row : entities_->rows()) {
    rows.push_back({{"type", row.type->name()},
                    {"present", row.present()},
                    {"created", row.created},
                    {"ended", row.ended}});
  }
  ordered_json declared = ordered_json::array();
  for (const entity::TypeInfo* type : types_.types()) declared.push_back(type->name());
  return json_response({{"types", std::move(rows)},
                        {"declared", std::move(declared)},
                        {"present", entities_->size()},
                        {"published", published_.size()},
                        {"mirrored", sync_.mirrored()},
                        {"refused", entities_->counters().refused},
                        {"failed_hooks", entities_->counters().failures},
                        {"to_be_saved", unsaved()},
                        {"unsaved", counters_.unsaved},
                        {"waits_for", waits_for()}});
}

void EntityHost::add_admin(Node& node) {
  auto& context = node.process_context();
  context.admin.get("/entities", [this](const Request& request) {
    if (const auto name = request.parameter("name")) return show_one(*name);
    if (request.parameter("type")) return show_page(request);
    if (request.parameter("busiest")) return show_busiest(request);
    return show_all();
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
  metrics.family("starbus_entities_steps_total", "Steps that ran, by type.", Metrics::Kind::counter,
                 [this] { return by_type(*entities_, [](const auto& row) { return row.steps; }); });
  metrics.family("starbus_entities_steps_seconds_total", "Time of the loop in these, by type.",
                 Metrics::Kind::counter, [this] {
                   const double tick = endpoint_.nanoseconds_per_tick() / 1e9;
                   return by_type(*entities_, [tick](const auto& row) {
                     return static_cast<double>(row.step_ticks) * tick;
                   });
                 });
  metrics.gauge("starbus_entities_to_be_saved", "Entities whose present state is kept nowhere.",
                [this] { return static_cast<double>(unsaved()); });
  const auto counter = [&](const char* name, const char* help, auto read) {
    metrics.counter(name, help, [this, read] { return static_cast<double>(read(*this)); });
  };
  counter("starbus_entities_refused_total", "Creations that failed.",
          [](const EntityHost& host) { return host.entities().counters().refused; });
  counter("starbus_entities_failed_hooks_total", "Hooks of entities that failed or threw.",
          [](const EntityHost& host) { return host.entities().counters().failures; });
  counter("starbus_entities_unsaved_total", "Saves that failed for good, or took too long.",
          [](const EntityHost& host) { return host.counters().unsaved; });
  counter("starbus_entities_saved_total", "Saves that were kept.",
          [](const EntityHost& host) { return host.counters().saved; });
  counter("starbus_entities_unchanged_total", "Entities that ended as they had been saved.",
          [](const EntityHost& host) { return host.counters().unchanged; });
  counter("starbus_entities_told_total", "News of one entity for one audience.",
          [](const EntityHost& host) { return host.told().told; });
  counter("starbus_entities_told_bytes_total", "Bytes of these, encoded once.",
          [](const EntityHost& host) { return host.told().bytes; });
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
  counter("starbus_entities_arrivals_late_total", "Activations that failed on arrival.",
          [](const EntityHost& host) { return host.counters().arrivals_late; });
  counter("starbus_entities_arrivals_lost_total", "Entities that arrived, and never came to live.",
          [](const EntityHost& host) { return host.counters().arrivals_lost; });
}

}  // namespace starbus::nodes::entities
