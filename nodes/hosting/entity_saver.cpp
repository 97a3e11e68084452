#include "nodes/hosting/entity_saver.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "bus/io/clock.hpp"
#include "entity/properties/root.hpp"
#include "entity/rpc/endpoint.hpp"
#include "nodes/hosting/searchable.hpp"

namespace starbus::nodes::entities {

using entity::Entity;
using entity::OnlineId;
using std::chrono::milliseconds;

EntitySaver::EntitySaver(HostContext& context, PublishedNames& names, const HostOptions& options)
    : context_(context),
      names_(names),
      enabled_(options.save != nullptr),
      save_every_(options.save_every),
      saves_(context.timers, options.save),
      unsaved_(options.save_every),
      version_(unix_ms() << 20) {}  // room for a million saves per millisecond of uptime

void EntitySaver::mark(const Entity& entity) {
  unsaved_.mark(id_of(entity), bus::io::boot_now());
}

bool EntitySaver::saves(Entity& entity) const {
  const entity::Root* const properties = entity.properties();
  if (!enabled_ || properties == nullptr) return false;
  return std::ranges::any_of(properties->schema().fields(), [](const entity::FieldInfo& field) {
    return (field.reach & bit_of(entity::View::save)) != 0;
  });
}

bool EntitySaver::under_way(const Entity& entity) const {
  return saves_.has(std::string(entity.type().name()), entity.persistent_id());
}

bool EntitySaver::take_unsaved(const Entity& entity) {
  return unsaved_.take(id_of(entity)) || under_way(entity);
}

void EntitySaver::save(Entity& entity, std::vector<std::string> names, Done done) {
  context_.thread.check();
  const std::uint64_t id = id_of(entity);
  SavedEntity saved{std::string(entity.type().name()), entity.persistent_id(), {}, {}};
  saved.version.epoch = names_.epoch_of(id);
  saved.version.number = ++version_;
  if (const auto& paths = context_.options_of(entity).searchable; !paths.empty()) {
    saved.values = searchable_values(*entity.properties(), paths);
  }
  static_cast<void>(unsaved_.take(id));
  auto ended = [this, weak = std::weak_ptr(context_.alive), id, names = std::move(names),
                done = std::move(done)](const bus::Result<>& result) {
    if (weak.expired()) return;
    on_saved(id, names, result.has_value());
    done(result);
  };
  const auto encoded = entity.properties()->encode_saved(entity::View::save, saved.properties);
  if (!encoded) {
    spdlog::error("entities: {} was not saved: {}", entity.label(), encoded.error().to_string());
    return ended(bus::Error(bus::Errc::too_large, encoded.error().to_string()));
  }
  saves_.add(std::move(saved), entity.label(), std::move(ended));
}

void EntitySaver::on_saved(std::uint64_t id, const std::vector<std::string>& names, bool stored) {
  ++(stored ? context_.counters.saved : context_.counters.unsaved);
  names_.release(names);
  // A living entity is tried again after the usual interval.
  if (!stored && context_.entities->find_here(OnlineId{id}) != nullptr) {
    unsaved_.mark(id, bus::io::boot_now());
  }
  context_.on_save_ended();
}

void EntitySaver::save_due() {
  if (save_every_ <= milliseconds(0)) return;
  const entity::rpc::PassTime time{kTickTime};
  for (std::size_t i = 0; i < kTickEntities && saves_.room() && !time.over(); ++i) {
    const auto due = unsaved_.take_due(bus::io::boot_now());
    if (!due) return;
    Entity* const entity = context_.entities->find_here(OnlineId{*due});
    if (entity == nullptr) continue;
    // A frozen entity is saved where it lives next. It is marked again in case that is here.
    if (entity->life() == entity::EntityState::frozen) {
      unsaved_.mark(*due, bus::io::boot_now());
      continue;
    }
    save(*entity, {}, [](const bus::Result<>&) {});
  }
}

void EntitySaver::save_now(Entity& entity, EntitySync& sync, Done done) {
  const auto later = [&](const bus::Result<>& result) {
    boost::asio::post(context_.endpoint.loop(), [done = std::move(done), result] { done(result); });
  };
  if (context_.entities->find_here(entity.online_id()) != &entity || !saves(entity)) {
    return later(bus::Error(bus::Errc::not_bound, entity.label()));
  }
  if (entity.life() == entity::EntityState::frozen) {
    return later(bus::Error(bus::Errc::busy, entity.label() + " moves, and is saved after that"));
  }
  sync.tell(entity);
  if (!unsaved_.has(id_of(entity)) && !under_way(entity)) return later({});
  save(entity, {}, std::move(done));
}

/// Only an entity shows which properties its type has.
void EntitySaver::check_searchable(Entity& entity) {
  const auto type = context_.types.find(&entity.type());
  if (type == context_.types.end() || !checked_types_.insert(type->first).second) return;
  std::vector<std::string>& paths = type->second.searchable;
  if (paths.empty()) return;
  const auto refuse = [&](const std::string& why) {
    spdlog::error("entities: {} is stored without searchable values: {}", entity.type().name(),
                  why);
    paths.clear();
  };
  if (paths.size() > kMaxSearchable) return refuse("too many are declared");
  if (entity.properties() == nullptr) return refuse("it has no properties");
  const std::string wrong = not_searchable(*entity.properties(), paths);
  if (!wrong.empty()) refuse("'" + wrong + "' is not a saved property of it");
}

}  // namespace starbus::nodes::entities
