#include "nodes/hosting/entity_admin.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/numbers.hpp"
#include "daemon/admin/admin_access.hpp"
#include "daemon/metrics.hpp"
#include "entity/rpc/endpoint.hpp"
#include "nodes/hosting/limits.hpp"
#include "nodes/hosting/mail/entity_mail.hpp"
#include "nodes/hosting/mail/entity_notices.hpp"

namespace starbus::nodes::entities {
namespace {

using daemon::AdminRole;
using daemon::Metrics;
using daemon::Request;
using daemon::Response;
using entity::Entity;
using entity::OnlineId;
using nlohmann::ordered_json;

Response json_response(const ordered_json& body) {
  return {200, "application/json",
          body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

/// A sample per type that has had an entity.
template <class Value>
std::vector<Metrics::Sample> by_type(const entity::EntityManager& entities, Value value) {
  std::vector<Metrics::Sample> samples;
  for (const entity::EntityRow& row : entities.rows()) {
    samples.push_back({{{"type", std::string(row.type->name())}}, static_cast<double>(value(row))});
  }
  return samples;
}

ordered_json shown_end(const UnsavedEnd& one) {
  return {{"entity", one.label}, {"persistent_id", one.persistent_id}, {"state", "ended"},
          {"unsaved", true},     {"ms_since_end", one.age.count()},    {"failures", one.failures},
          {"reason", one.reason}};
}

}  // namespace

/// By channel name, persistent id or online id, in this order.
Entity* EntityAdmin::find(const std::string& name) const {
  if (Entity* const entity = parts_.names.find(name)) return entity;
  const entity::EntityManager& entities = *parts_.context.entities;
  if (Entity* const entity = entities.find_here(std::string_view(name))) return entity;
  const auto id = parse_number<std::uint64_t>(name, 16);
  return id ? entities.find_here(OnlineId{*id}) : nullptr;
}

Response EntityAdmin::show_one(const std::string& name) const {
  if (const Entity* const entity = find(name)) {
    return json_response(parts_.context.entities->describe(*entity));
  }
  for (const UnsavedEnd& one : parts_.saver.unsaved_ends(parts_.saver.ended())) {
    if (one.persistent_id == name || one.label == name) return json_response(shown_end(one));
  }
  return Response::error(404, "no entity with this name or id in this process");
}

void EntityAdmin::describe(const Entity& entity, ordered_json& shown) const {
  const std::uint64_t id = id_of(entity);
  shown["channel"] = parts_.context.endpoint.channel_of(entity);
  shown["epoch"] = parts_.names.epoch_of(id);
  shown["moving"] = parts_.departures.has(id);
  shown["unsaved"] = parts_.saver.unsaved(id);
  shown["saving"] = parts_.saver.under_way(entity);
  const replica::Publisher* const publisher = parts_.sync.publisher(entity);
  shown["mirrors"] = publisher == nullptr ? ordered_json() : ordered_json(publisher->mirrors());
}

/// A page of the entities of one type, oldest first.
Response EntityAdmin::show_page(const Request& request) const {
  const std::string type = request.parameter_or("type", "");
  const std::string after = request.parameter_or("after", "");
  ordered_json rows = ordered_json::array();
  bool begun = after.empty();
  ordered_json next;
  parts_.context.entities->for_each_here([&](const Entity& entity) {
    if (entity.type().name() != type || !next.is_null()) return;
    const std::string id = text_of(entity.online_id());
    if (!std::exchange(begun, begun || id == after)) return;
    if (rows.size() == kShownEntities) return void(next = rows.back()["online_id"]);
    rows.push_back({{"online_id", id},
                    {"persistent_id", entity.persistent_id()},
                    {"channel", parts_.context.endpoint.channel_of(entity)},
                    {"state", name_of(entity.life())},
                    {"unsaved", parts_.saver.unsaved(id_of(entity))}});
  });
  return json_response({{"type", type}, {"entities", std::move(rows)}, {"after", next}});
}

/// Visits all entities for each request: each entity counts its own time, and nothing is ranked
/// before.
Response EntityAdmin::show_busiest(const Request& request) const {
  const auto most = request.number_or("busiest", 0);
  if (!most || *most == 0 || *most > kBusiestEntities) {
    return Response::error(400, "busiest: 1 to " + std::to_string(kBusiestEntities) + " entities");
  }
  std::vector<std::pair<double, const Entity*>> busy;
  parts_.context.entities->for_each_here([&](const Entity& entity) {
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
                    {"channel", parts_.context.endpoint.channel_of(*entity)},
                    {"busy_ms_per_s", ms}});
  }
  return json_response({{"busiest", std::move(rows)}, {"busy", busy.size()}});
}

Response EntityAdmin::show_all() const {
  const entity::EntityManager& entities = *parts_.context.entities;
  ordered_json rows = ordered_json::array();
  for (const entity::EntityRow& row : entities.rows()) {
    rows.push_back({{"type", row.type->name()},
                    {"present", row.present()},
                    {"created", row.created},
                    {"ended", row.ended}});
  }
  ordered_json declared = ordered_json::array();
  for (const entity::TypeInfo* type : parts_.types.types()) declared.push_back(type->name());
  ordered_json ends = ordered_json::array();
  for (const UnsavedEnd& one : parts_.saver.unsaved_ends(kShownUnsaved)) {
    ends.push_back(shown_end(one));
  }
  return json_response({{"types", std::move(rows)},
                        {"declared", std::move(declared)},
                        {"present", entities.size()},
                        {"published", parts_.names.published()},
                        {"publishing", parts_.names.asking()},
                        {"mirrored", parts_.sync.mirrored()},
                        {"refused", entities.counters().refused},
                        {"failed_hooks", entities.counters().failures},
                        {"to_be_saved", parts_.saver.pending()},
                        {"unsaved", parts_.context.counters.unsaved},
                        {"ended_unsaved", parts_.saver.ended()},
                        {"oldest_unsaved", std::move(ends)},
                        {"waits_for", parts_.waits_for()}});
}

void EntityAdmin::add_to(Node& node) {
  auto& context = node.process_context();
  context.admin.get("/entities", AdminRole::observe, [this](const Request& request) {
    if (const auto name = request.parameter("name")) {
      // The values of its properties belong to others.
      if (request.role < AdminRole::read) {
        return daemon::role_missing(AdminRole::read, request.role, "the caller");
      }
      return show_one(*name);
    }
    if (request.parameter("type")) return show_page(request);
    if (request.parameter("busiest")) return show_busiest(request);
    return show_all();
  });
  add_type_metrics(context.metrics);
  add_counters(context.metrics);
  add_mail_metrics(context.metrics);
}

void EntityAdmin::add_type_metrics(Metrics& metrics) const {
  const auto family = [&](const char* name, const char* help, Metrics::Kind kind, auto value) {
    metrics.family(name, help, kind,
                   [this, value] { return by_type(*parts_.context.entities, value); });
  };
  family("starbus_entities", "Entities in this process, by type.", Metrics::Kind::gauge,
         [](const auto& row) { return row.present(); });
  family("starbus_entities_created_total", "Entities activated, by type.", Metrics::Kind::counter,
         [](const auto& row) { return row.created; });
  family("starbus_entities_ended_total", "Entities ended, by type.", Metrics::Kind::counter,
         [](const auto& row) { return row.ended; });
  family("starbus_entities_steps_total", "Steps run, by type.", Metrics::Kind::counter,
         [](const auto& row) { return row.steps; });
  family("starbus_entities_steps_seconds_total", "Seconds of the loop in steps, by type.",
         Metrics::Kind::counter, [this](const auto& row) {
           const double tick = parts_.context.endpoint.work().nanoseconds_per_tick() / 1e9;
           return static_cast<double>(row.step_ticks) * tick;
         });
}

void EntityAdmin::add_counters(Metrics& metrics) const {
  metrics.gauge("starbus_entities_to_be_saved", "Entities with unsaved state.",
                [this] { return static_cast<double>(parts_.saver.pending()); });
  metrics.gauge("starbus_entities_ended_unsaved", "Entities that have ended and are not stored.",
                [this] { return static_cast<double>(parts_.saver.ended()); });
  metrics.gauge("starbus_entities_to_be_told", "Entities with changes that wait for a tick.",
                [this] { return static_cast<double>(parts_.sync.waiting()); });
  const auto counter = [&](const char* name, const char* help, auto read) {
    metrics.counter(name, help, [this, read] { return static_cast<double>(read(parts_)); });
  };
  counter("starbus_entities_refused_total", "Creations that failed.",
          [](const Parts& p) { return p.context.entities->counters().refused; });
  counter("starbus_entities_failed_hooks_total", "Hooks of entities that failed or threw.",
          [](const Parts& p) { return p.context.entities->counters().failures; });
  counter("starbus_entities_told_total", "Updates of one entity for one audience.",
          [](const Parts& p) { return p.sync.counters().told; });
  counter("starbus_entities_told_bytes_total", "Bytes of updates, encoded once per audience.",
          [](const Parts& p) { return p.sync.counters().bytes; });
  counter("starbus_entities_clients_too_slow_total", "Clients let go for what they did not take.",
          [](const Parts& p) { return p.clients.counters().too_slow; });
  const auto own = [&](const char* name, const char* help, std::uint64_t HostCounters::*value) {
    counter(name, help, [value](const Parts& p) { return p.context.counters.*value; });
  };
  own("starbus_entities_unsaved_total", "Saves that failed for good or timed out.",
      &HostCounters::unsaved);
  own("starbus_entities_saved_total", "Saves stored.", &HostCounters::saved);
  own("starbus_entities_unchanged_total", "Entities that ended in the state saved last.",
      &HostCounters::unchanged);
  own("starbus_entities_fenced_total", "Entities that ended with the lease.",
      &HostCounters::fenced);
  own("starbus_entities_overtaken_total",
      "Entities that ended since the target of a move that was rolled back had stored them.",
      &HostCounters::overtaken);
  own("starbus_entities_moved_out_total", "Entities moved to another process.",
      &HostCounters::moved_out);
  own("starbus_entities_moved_in_total", "Entities moved to this process.",
      &HostCounters::moved_in);
  own("starbus_entities_moves_failed_total", "Moves that failed: the entity stayed here.",
      &HostCounters::moves_failed);
  own("starbus_entities_moves_busy_total", "Moves refused for coroutines, calls or closures.",
      &HostCounters::moves_busy);
  own("starbus_entities_left_behind_total", "Coroutines and closures that ended with a move.",
      &HostCounters::left_behind);
  own("starbus_entities_arrivals_refused_total", "Entities refused on arrival.",
      &HostCounters::arrivals_refused);
  own("starbus_entities_arrivals_late_total", "Activations that failed on arrival.",
      &HostCounters::arrivals_late);
  own("starbus_entities_arrivals_lost_total", "Entities that arrived and were never activated.",
      &HostCounters::arrivals_lost);
}

void EntityAdmin::add_mail_metrics(Metrics& metrics) const {
  using Counts = std::vector<std::pair<const char*, std::uint64_t>>;
  const auto family = [&](const char* name, const char* help, auto read) {
    metrics.family(name, help, Metrics::Kind::counter, [this, read] {
      std::vector<Metrics::Sample> samples;
      for (const auto& [what, count] : read(parts_)) {
        samples.push_back({{{"what", std::string(what)}}, static_cast<double>(count)});
      }
      return samples;
    });
  };
  metrics.gauge("starbus_entities_mailboxes", "Mailboxes of entities in this process.",
                [this] { return static_cast<double>(parts_.mail.open()); });
  family("starbus_entities_mail_total", "Messages to entities, by what came of them.",
         [](const Parts& p) {
           const MailCounters& mail = p.mail.counters();
           return Counts{{"handled", mail.handled},      {"skipped", mail.skipped},
                         {"expired", mail.expired},      {"failed", mail.failed},
                         {"put_aside", mail.put_aside},  {"damaged", mail.damaged},
                         {"not_opened", mail.not_opened}};
         });
  family("starbus_entities_client_updates_total",
         "Droppable updates for clients, by what came of them.", [](const Parts& p) {
           const entity::sessions::DropCounters updates = p.clients.droppables();
           return Counts{{"said", updates.said},
                         {"replaced", updates.replaced},
                         {"aged", updates.aged},
                         {"crowded", updates.crowded}};
         });
  family("starbus_entities_notices_total", "Notices to entities, by what came of them.",
         [](const Parts& p) {
           const NoticeCounters& notices = p.notices.counters();
           return Counts{{"handled", notices.handled},
                         {"passed", notices.passed},
                         {"failed", notices.failed},
                         {"missed", notices.missed}};
         });
}

}  // namespace starbus::nodes::entities
