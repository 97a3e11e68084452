// Ticks, saving, and the end of entities.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "bus/io/clock.hpp"
#include "entity/properties/root.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/hosting/searchable.hpp"

namespace starbus::nodes::entities {

using entity::EndReason;
using entity::Entity;
using entity::OnlineId;
using entity::rpc::PassTime;
using std::chrono::milliseconds;

namespace {

std::uint64_t id_of(const Entity& entity) {
  return static_cast<std::uint64_t>(entity.online_id());
}

}  // namespace

// --- ticks ---------------------------------------------------------------------------------------

void EntityHost::tick() {
  if (!telling_) go_on_telling();
}

/// Bounded in one turn of the loop, so that messages wait for one slice and not for all.
void EntityHost::go_on_telling() {
  const bus::ShownName::Scope shown(endpoint_.activity(), "tick of entities", "");
  telling_ = sync_.pass(*entities_, kTickEntities, PassTime(milliseconds(kTickTime)));
  if (!telling_) return save_due();
  boost::asio::post(endpoint_.loop(), [this, weak = std::weak_ptr(alive_)] {
    if (!weak.expired()) go_on_telling();
  });
}

void EntityHost::save_due() {
  if (options_.save_every <= std::chrono::milliseconds(0)) return;
  const PassTime time{milliseconds(kTickTime)};
  for (std::size_t i = 0; i < kTickEntities && saves_.room() && !time.over(); ++i) {
    const auto due = unsaved_.take_due(bus::io::boot_now());
    if (!due) return;
    Entity* const entity = entities_->find(OnlineId{*due});
    // One that is frozen is saved where it lives next; if that is here, it is marked again.
    if (entity == nullptr) continue;
    if (entity->life() == entity::EntityState::frozen) {
      unsaved_.mark(*due, bus::io::boot_now());
      continue;
    }
    save(*entity, {}, [](const bus::Result<>&) {});
  }
}

/// None if there is nowhere to save to.
std::function<void(Entity&)> EntityHost::unsaved_marker() {
  if (!options_.save) return {};
  return [this](Entity& entity) { unsaved_.mark(id_of(entity), bus::io::boot_now()); };
}

// --- saving --------------------------------------------------------------------------------------

bool EntityHost::is_saved(Entity& entity) const {
  const entity::Root* const properties = entity.properties();
  if (!options_.save || properties == nullptr) return false;
  return std::ranges::any_of(properties->schema().fields(), [](const entity::FieldInfo& field) {
    return (field.reach & bit_of(entity::View::save)) != 0;
  });
}

/// As it is now; `names` are given up when that is kept, or cannot be.
void EntityHost::save(Entity& entity, std::vector<std::string> names, Done done) {
  const std::uint64_t id = id_of(entity);
  const auto published = published_.find(id);
  SavedEntity kept{std::string(entity.type().name()), entity.persistent_id(), {}, {}};
  kept.version.epoch = published == published_.end() ? 0 : published->second.epoch;
  kept.version.number = ++save_number_;
  if (const auto type = declared_.find(&entity.type()); type != declared_.end()) {
    kept.values = searchable_values(*entity.properties(), type->second.options.searchable);
  }
  static_cast<void>(unsaved_.take(id));
  auto ended = [this, weak = std::weak_ptr(alive_), id, names = std::move(names),
                done = std::move(done)](const bus::Result<>& result) {
    if (weak.expired()) return;
    ++(result ? counters_.saved : counters_.unsaved);
    release(names);
    if (!result && entities_->find(OnlineId{id}) != nullptr) {
      unsaved_.mark(id, bus::io::boot_now());  // it lives: later again
    }
    if (std::exchange(full_, false) || drained_) settle_soon();
    done(result);
  };
  const auto encoded = entity.properties()->encode_saved(entity::View::save, kept.properties);
  if (!encoded) {
    spdlog::error("entities: {} was not saved: {}", entity.label(), encoded.error().to_string());
    return ended(bus::Error(bus::Errc::too_large, encoded.error().to_string()));
  }
  saves_.add(std::move(kept), entity.label(), std::move(ended));
}

/// What its properties are shows when there is one.
void EntityHost::check_searchable(Entity& entity) {
  const auto type = declared_.find(&entity.type());
  if (type == declared_.end() || std::exchange(type->second.seen, true)) return;
  std::vector<std::string>& paths = type->second.options.searchable;
  if (paths.empty()) return;
  const auto refuse = [&](const std::string& why) {
    spdlog::error("entities: a {} has no searchable values: {}", entity.type().name(), why);
    paths.clear();
  };
  if (paths.size() > kMaxSearchable) return refuse("too many are declared");
  if (entity.properties() == nullptr) return refuse("it has no properties");
  const std::string wrong = not_searchable(*entity.properties(), paths);
  if (!wrong.empty()) refuse("'" + wrong + "' is no property of it that is saved");
}

void EntityHost::save_now(Entity& entity, Done done) {
  const auto later = [&](const bus::Result<>& result) {
    boost::asio::post(endpoint_.loop(), [done = std::move(done), result] { done(result); });
  };
  if (entities_->find(entity.online_id()) != &entity || !is_saved(entity)) {
    return later(bus::Error(bus::Errc::not_bound, entity.label()));
  }
  sync_.tell(entity);
  const bool under_way = saves_.has(std::string(entity.type().name()), entity.persistent_id());
  if (!unsaved_.has(id_of(entity)) && !under_way) return later({});
  save(entity, {}, std::move(done));
}

void EntityHost::release(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    endpoint_.bus().unbind(name, [](const bus::Result<>&) {});
  }
}

// --- the end of entities -------------------------------------------------------------------------

void EntityHost::activated(Entity& entity) {
  check_searchable(entity);
  sync_.add(entity, activating_arrival_);
}

/// What is to be saved keeps its names until it is: nobody else can be it before, with a state that
/// is older.
void EntityHost::ending(Entity& entity, EndReason reason) {
  const auto published = published_.find(id_of(entity));
  if (published == published_.end() || published->second.fenced || !is_saved(entity)) return;
  if (reason == EndReason::moved || reason == EndReason::fenced) return;
  if (leaving_.contains(id_of(entity))) return;  // its name may be another's by now
  published->second.kept = endpoint_.retire(entity);
}

/// In a later turn of the loop: nothing of an entity is on the stack then.
void EntityHost::settle_soon() {
  if (std::exchange(scheduled_, true)) return;
  boost::asio::post(endpoint_.loop(), [this, weak = std::weak_ptr(alive_)] {
    if (!weak.expired()) settle();
  });
}

/// While as many as may be wait to be saved, the rest waits to end.
void EntityHost::settle() {
  scheduled_ = false;
  const bus::ShownName::Scope shown(endpoint_.activity(), "end of entities", "");
  full_ = !saves_.room();
  const PassTime time{milliseconds(entity::kSettleTime)};
  if (!full_ && entities_->settle(entity::kSettlePass, &time)) settle_soon();
  end_of_drain();
}

/// For who watches the loop.
void EntityHost::step_began(const Entity& entity, std::string_view step) {
  char text[bus::ShownName::kLongest];
  const int size = std::snprintf(text, sizeof text, "%.40s.%.48s", entity.type().name().data(),
                                 std::string(step).c_str());
  endpoint_.activity()->show("step ", std::string_view(text, static_cast<std::size_t>(size)));
}

void EntityHost::failed(const entity::HookFailure& failure) {
  spdlog::error("entities: {}", failure.to_string());
}

void EntityHost::finished(Entity& entity, EndReason reason) {
  Published published;
  if (const auto found = published_.find(id_of(entity)); found != published_.end()) {
    published = found->second;  // save() looks for it
  }
  const bool fenced = reason == EndReason::fenced || published.fenced;
  const auto leaving = leaving_.find(id_of(entity));
  const bool elsewhere =
      leaving != leaving_.end() && leaving->second.packed && !fenced && reason != EndReason::moved;
  if (!fenced && !elsewhere && reason != EndReason::moved) sync_.tell(entity);
  if (options_.sink != nullptr) options_.sink->gone(entity, reason);
  sync_.forget(entity);
  const bool changed = unsaved_.take(id_of(entity)) ||
                       saves_.has(std::string(entity.type().name()), entity.persistent_id());
  if (elsewhere) {
    // It may live on at the target, which saves it then.
    ++counters_.unsaved;
    spdlog::error("entities: {} ended within its move, and was not saved", entity.label());
  } else if (!fenced && reason != EndReason::moved && is_saved(entity) && changed) {
    save(entity, std::exchange(published.kept, {}), [](const bus::Result<>&) {});
  } else if (!fenced && reason != EndReason::moved && is_saved(entity)) {
    ++counters_.unchanged;
  }
  release(published.kept);
  published_.erase(id_of(entity));
}

}  // namespace starbus::nodes::entities
