#include "nodes/hosting/entity_saver.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "base/wall_clock.hpp"
#include "entity/properties/root.hpp"
#include "entity/rpc/endpoint.hpp"
#include "nodes/hosting/mail/entity_mail.hpp"
#include "nodes/hosting/searchable.hpp"

namespace starbus::nodes::entities {

using entity::Entity;
using entity::OnlineId;

EntitySaver::EntitySaver(HostContext& context, PublishedNames& names, const HostOptions& options)
    : context_(context),
      names_(names),
      enabled_(options.save != nullptr),
      save_every_(options.save_every),
      saves_(context.timers, options.save),
      unsaved_(options.save_every),
      version_(wall_ms() << 20) {}  // room for a million saves per millisecond of uptime

/// An entity that is not saved, since it has no name, is marked when it gets one.
void EntitySaver::mark(std::uint64_t id) {
  Entity* const entity = context_.entities->find(OnlineId{id});
  if (entity != nullptr && !saves(*entity)) return;
  unsaved_.mark_at(id, due_time(id, entity, Why::changed));
}

/// An entity whose save has failed waits for the interval, whatever its type's policy is.
entity::Time EntitySaver::due_time(std::uint64_t id, const Entity* entity, Why why) const {
  static const TypeOptions kDefaults;
  const TypeOptions& type = entity == nullptr ? kDefaults : context_.options_of(*entity);
  const entity::Time now = context_.timers.present();
  if (type.save_when == SaveWhen::at_end) return UnsavedList::kNever;
  if (type.save_when == SaveWhen::every_change && why == Why::changed) return now;
  const entity::Time interval = type.save_every ? entity::Time(*type.save_every) : save_every_;
  if (interval <= entity::Time(0)) {
    return why == Why::failed && type.save_when == SaveWhen::every_change
               ? now + entity::Time(kSaveEvery)
               : UnsavedList::kNever;
  }
  // Fibonacci hashing: neighbouring ids have shares that lie far apart.
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  const double share = static_cast<double>((id * kGolden) >> 40U) / static_cast<double>(1U << 24U);
  const double earlier = share * static_cast<double>(kSaveSpread) / 100;
  return now + interval -
         entity::Time(static_cast<std::int64_t>(earlier * static_cast<double>(interval.count())));
}

bool EntitySaver::has_saved_fields(Entity& entity) const {
  const entity::Root* const properties = entity.properties();
  if (!enabled_ || properties == nullptr) return false;
  return std::ranges::any_of(properties->schema().fields(), [](const entity::FieldInfo& field) {
    return (field.reach & bit_of(entity::View::save)) != 0;
  });
}

bool EntitySaver::saves(Entity& entity) const {
  if (!has_saved_fields(entity)) return false;
  return context_.options_of(entity).save_unnamed || names_.has(id_of(entity)) ||
         context_.entities->has_own_id(entity);
}

bool EntitySaver::under_way(const Entity& entity) const {
  return saves_.has(std::string(entity.type().name()), entity.persistent_id());
}

bool EntitySaver::take_unsaved(const Entity& entity) {
  return unsaved_.take(id_of(entity)) || under_way(entity);
}

SavedEntity EntitySaver::head_of(const Entity& entity) {
  SavedEntity saved{std::string(entity.type().name()), entity.persistent_id(), {}, {}};
  saved.version.epoch = names_.epoch_of(id_of(entity));
  saved.version.number = ++version_;
  saved.after = names_.doubt_since(id_of(entity));
  return saved;
}

std::optional<SavedEntity> EntitySaver::encode(Entity& entity) {
  SavedEntity saved = head_of(entity);
  if (const auto& paths = context_.options_of(entity).searchable; !paths.empty()) {
    saved.values = searchable_values(*entity.properties(), paths);
  }
  const auto encoded = entity.properties()->encode_saved(entity::View::save, saved.properties);
  if (encoded) {
    entity.properties()->await_unsaved();
    return saved;
  }
  spdlog::error("entities: {} was not saved: {}", entity.label(), encoded.error().to_string());
  return std::nullopt;
}

void EntitySaver::save(Entity& entity, Done done) {
  context_.thread.check();
  const std::uint64_t id = id_of(entity);
  static_cast<void>(unsaved_.take(id));
  const std::uint64_t mail = context_.mail == nullptr ? 0 : context_.mail->encoded(entity);
  auto ended = [this, weak = std::weak_ptr(context_.alive), id, mail,
                doubted = names_.doubt_since(id).has_value(),
                done = std::move(done)](const bus::Result<>& result) {
    if (weak.expired()) return;
    if (result && mail != 0) context_.mail->stored(id, mail);
    on_saved(id, result, doubted);
    done(result);
  };
  auto saved = encode(entity);
  if (!saved) return ended(bus::Error(bus::Errc::too_large, entity.label()));
  saves_.add(std::move(*saved), entity.label(), std::move(ended));
}

void EntitySaver::save_last(Entity& entity, std::vector<std::string> names) {
  context_.thread.check();
  static_cast<void>(unsaved_.take(id_of(entity)));
  Done ended = at_last(id_of(entity), std::move(names));
  if (context_.mail != nullptr) context_.mail->encoded_last(entity);
  auto saved = encode(entity);
  if (!saved) return ended(bus::Error(bus::Errc::too_large));
  saves_.add_last(std::move(*saved), entity.label(), std::move(ended));
}

void EntitySaver::erase(Entity& entity, std::vector<std::string> names) {
  context_.thread.check();
  static_cast<void>(unsaved_.take(id_of(entity)));
  SavedEntity erased = head_of(entity);
  erased.erase = true;
  saves_.add_last(std::move(erased), entity.label(), at_last(id_of(entity), std::move(names)));
}

/// Names of a lost lease may be another owner's by then, also of one in this process.
Done EntitySaver::at_last(std::uint64_t id, std::vector<std::string> names) {
  return [this, weak = std::weak_ptr(context_.alive), id, names = std::move(names),
          lease = names_.lease()](const bus::Result<>& result) {
    if (weak.expired()) return;
    ++(result ? context_.counters.saved : context_.counters.unsaved);
    auto release = [this, names, lease] {
      if (lease == names_.lease()) names_.release(names);
      context_.on_save_ended();
    };
    if (context_.mail == nullptr) return release();
    // The mailbox can be settled while the name is owned.
    if (result) return context_.mail->stored_last(id, std::move(release));
    context_.mail->lost_last(id);
    release();
  };
}

/// `doubted`: so was the state that was to be saved; one of before it has left says nothing.
void EntitySaver::on_saved(std::uint64_t id, const bus::Result<>& result, bool doubted) {
  ++(result ? context_.counters.saved : context_.counters.unsaved);
  if (result && doubted) names_.settle(id);
  Entity* const entity = result ? nullptr : context_.entities->find_here(OnlineId{id});
  if (entity != nullptr) {
    const entity::Time soon = context_.timers.present() + entity::Time(kSaveRetry);
    const entity::Time due = due_time(id, entity, Why::failed);
    unsaved_.mark_at(id, names_.doubt_since(id) ? std::min(soon, due) : due);
  }
  const bool late = doubted && !result && result.error() == bus::Errc::superseded;
  if (late && entity != nullptr) overtaken(*entity);
  context_.on_save_ended();
}

/// Its state here is older than what is stored, as that of a process that has died would be. It is
/// loaded again by whoever needs it.
void EntitySaver::overtaken(Entity& entity) {
  ++context_.counters.overtaken;
  spdlog::error(
      "entities: {} ends here: its move was rolled back, and the target has stored a later state",
      entity.label());
  entity.destroy(entity::EndReason::fenced);
}

void EntitySaver::come_back(Entity& entity) {
  const std::uint64_t id = id_of(entity);
  if (!saves(entity)) return;
  names_.doubt(id);
  static_cast<void>(unsaved_.take(id));
  unsaved_.mark_at(id, context_.timers.present());
}

void EntitySaver::save_due() {
  const entity::rpc::PassTime time{kTickTime};
  for (std::size_t i = 0; i < kTickEntities && saves_.room() && !time.over(); ++i) {
    const auto due = unsaved_.take_due(context_.timers.present());
    if (!due) return;
    Entity* const entity = context_.entities->find_here(OnlineId{*due});
    if (entity == nullptr || !saves(*entity)) continue;
    // A frozen entity is saved where it lives next. It is marked again in case that is here.
    if (entity->life() == entity::EntityState::frozen) {
      unsaved_.mark_at(*due, due_time(*due, entity, Why::failed));
      continue;
    }
    save(*entity, [](const bus::Result<>&) {});
  }
}

void EntitySaver::save_now(Entity& entity, Done done) {
  const auto later = [&](const bus::Result<>& result) {
    boost::asio::post(context_.endpoint.loop(), [done = std::move(done), result] { done(result); });
  };
  if (context_.entities->find_here(entity.online_id()) != &entity || !saves(entity)) {
    return later(bus::Error(bus::Errc::not_bound, entity.label()));
  }
  if (entity.life() == entity::EntityState::frozen) {
    return later(bus::Error(bus::Errc::busy, entity.label() + " moves, and is saved after that"));
  }
  if (!unsaved_.has(id_of(entity)) && !under_way(entity)) return later({});
  save(entity, std::move(done));
}

void EntitySaver::learn_type(Entity& entity) {
  if (!saved_types_.try_emplace(&entity.type(), has_saved_fields(entity)).second) return;
  const auto type = context_.types.find(&entity.type());
  if (type == context_.types.end()) return;
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

/// The first of a type is let in: only an entity shows whether its type is saved.
bus::Result<> EntitySaver::admits(const entity::TypeInfo& type, bool named) const {
  if (!saves_.crowded()) return {};
  const auto found = saved_types_.find(&type);
  if (found == saved_types_.end() || !found->second) return {};
  const auto options = context_.types.find(&type);
  const bool unnamed = options != context_.types.end() && options->second.save_unnamed;
  if (!named && !unnamed) return {};
  return bus::Error(bus::Errc::busy,
                    std::to_string(saves_.ended()) + " entities that have ended wait to be saved");
}

void EntitySaver::report_lost() const {
  if (saves_.empty()) return;
  spdlog::error("entities: {} saves are lost, at the end of the node", saves_.size());
  for (const UnsavedEnd& one : saves_.unsaved_ends(kNamedUnsaved)) {
    spdlog::error("entities: {} ended {} ms ago and is lost unsaved: {}", one.label,
                  one.age.count(), one.reason.empty() ? "no answer of the store" : one.reason);
  }
  if (saves_.ended() > kNamedUnsaved) {
    spdlog::error("entities: {} more are lost unsaved", saves_.ended() - kNamedUnsaved);
  }
}

}  // namespace starbus::nodes::entities
