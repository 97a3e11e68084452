// Making entities; their way up.
#include "entity/objects/entity_manager.hpp"

#include <algorithm>

#include "entity/properties/evolution.hpp"
#include "entity/properties/root.hpp"

namespace starbus::entity {
namespace {

EntityErrc code_of(Code code) {
  switch (code.in<IdentityErrc>()) {
    case IdentityErrc::no_ids:
      return EntityErrc::no_ids;
    case IdentityErrc::too_many_objects:
      return EntityErrc::too_many_entities;
    case IdentityErrc::duplicate_type:
      return EntityErrc::duplicate_type;
    case IdentityErrc::abstract_type:
      return EntityErrc::abstract_type;
    case IdentityErrc::needs_arguments:
      return EntityErrc::needs_arguments;
    default:
      return EntityErrc::unknown_type;
  }
}

std::string not_declared(std::string_view type) {
  return std::string(type) + ": not declared in this process; declare<T>() its class at start-up";
}

bool well_formed(std::string_view persistent_id) {
  return persistent_id.size() <= kMaxPersistentId &&
         std::ranges::none_of(persistent_id, [](char c) { return (c >= 0 && c < 32) || c == 127; });
}

}  // namespace

std::string HookFailure::to_string() const {
  std::string text = entity;
  if (!component.empty()) text.append(", component '").append(component).append("'");
  return text.append(", ").append(name_of(hook)).append(": ").append(error.to_string());
}

EntityManager::EntityManager(const EntityFactory& types, PersistentIdSource names, DrawId draw,
                             const EntityOptions& options)
    : types_(types), draw_(std::move(draw)), options_(options), table_(std::move(names)) {
  if (options_.timers != nullptr) own_world_.set_timers(*options_.timers);
}

// --- making --------------------------------------------------------------------------------------

/// Everything that can be refused is, before there is an object.
EntityResult<EntityManager::Birth> EntityManager::begin(const TypeInfo& type,
                                                        const CreateOptions& options) {
  const auto refuse = [this](EntityErrc code, std::string_view detail = {}) {
    ++counters_.refused;
    return EntityError(code, std::string(detail));
  };
  if (!types_.refused().empty())
    return refuse(EntityErrc::duplicate_type, types_.refused().front());
  if (!table_.has_row(type) && types_.find(type.name()) != &type) {
    return refuse(EntityErrc::unknown_type, not_declared(type.name()));
  }
  if (refusing_ || closed()) return refuse(EntityErrc::closed);
  if (size() >= options_.most) return refuse(EntityErrc::too_many_entities);
  if (options_.observer != nullptr) {
    if (const auto admitted = options_.observer->admits(type, !options.persistent_id.empty());
        !admitted) {
      return refuse(admitted.error().code.in<EntityErrc>(), admitted.error().detail);
    }
  }
  const std::string& name = options.persistent_id;
  if (!name.empty()) {
    if (!well_formed(name)) return refuse(EntityErrc::bad_id);
    // A name that is made from an online id is that entity's alone.
    const auto made_from = table_.names().read(name);
    if (table_.has_given_name(name) || (made_from && *made_from != options.online_id)) {
      return refuse(EntityErrc::duplicate_id, name);
    }
  }
  OnlineId online = options.online_id;
  if (online == OnlineId::none) {
    const IdentityResult<OnlineId> drawn = draw_();
    if (!drawn) return refuse(code_of(drawn.error().code));
    online = *drawn;
  }
  if (table_.has_online_id(online)) {
    return refuse(EntityErrc::duplicate_id, table_.names().of(online));
  }
  const IdentityResult<LocalId> local = table_.reserve();
  if (!local) return refuse(code_of(local.error().code));
  return Birth{&table_.row_of(type, *this), *local, online};
}

/// Within the catch of its constructor's exception.
EntityError EntityManager::never_born(const Birth& birth) {
  table_.give_back(birth.local);
  ++counters_.refused;
  return constructor_threw(
      std::string(birth.row->type->name()) + ' ' + table_.names().of(birth.online), {});
}

EntityError EntityManager::constructor_threw(std::string entity, std::string_view component) {
  HookFailure failure{std::move(entity), component, Hook::construct,
                      EntityError(EntityErrc::hook_threw, what_was_thrown())};
  ++counters_.failures;
  if (options_.observer != nullptr) options_.observer->failed(failure);
  return EntityError(EntityErrc::init_failed, failure.to_string());
}

EntityResult<Entity*> EntityManager::create_named(std::string_view type,
                                                  const CreateOptions& options,
                                                  const MovedState* moved) {
  const Busy busy(*this);
  const TypeInfo* info = types_.find(type);
  if (info == nullptr) {
    ++counters_.refused;
    return EntityError(EntityErrc::unknown_type, not_declared(type));
  }
  const EntityResult<Birth> birth = begin(*info, options);
  if (!birth) return birth.error();
  const ConstructKey key(*birth->row, birth->local, birth->online);
  Entity* made = nullptr;
  try {
    const auto result = types_.make(type, key);
    if (!result) {
      table_.give_back(birth->local);
      ++counters_.refused;
      return EntityError(code_of(result.error().code), std::string(type));
    }
    made = *result;
  } catch (...) {
    return never_born(*birth);
  }
  if (auto lives = bring_up(*made, options, moved); !lives) return lives.error();
  return made;
}

EntityResult<> EntityManager::bring_up(Entity& entity, const CreateOptions& options,
                                       const MovedState* moved) {
  if (auto listed = enlist(entity, options); !listed) {
    table_.give_back(entity.local_id());
    ++counters_.refused;
    delete &entity;
    return listed;
  }
  if (auto raised = raise(entity, options, moved); !raised) return undo(entity, raised.error());
  if (moved == nullptr) return go_live(entity);
  if (closing_) return undo(entity, EntityErrc::closed);  // a hook of it began that
  table_.add_prepared(entity.online_);
  return {};
}

EntityResult<> EntityManager::go_live(Entity& entity) {
  entity.state_ = EntityState::alive;
  auto up = run_up(entity, Entity::Stage::active);
  if (up) up = enter_where_it_goes(entity);
  if (!up) return undo(entity, up.error());
  entity.rising_ = false;
  ++entity.row_->created;
  ++counters_.created;
  if (options_.observer != nullptr) options_.observer->activated(entity);
  return {};
}

/// The constructor may have made others, with the same ids.
EntityResult<> EntityManager::enlist(Entity& entity, const CreateOptions& options) {
  if (auto added = table_.add(entity, options.persistent_id); !added) return added;
  entity.flags_.add(options.flags);
  return {};
}

EntityResult<> EntityManager::raise(Entity& entity, const CreateOptions& options,
                                    const MovedState* moved) {
  if (auto loaded = load(entity, options, moved); !loaded) return loaded;
  entity.arriving_ = moved != nullptr;
  if (options.saved) entity.start_reason_ = StartReason::loaded;
  if (moved != nullptr) {
    entity.start_reason_ = StartReason::arrived;
    entity.more().plan = moved->plan();
    hold_still(entity, true);
    if (auto taken = take_code(entity, *moved); !taken) return taken;
  }
  if (auto made = entity.make_components(); !made) return made;
  entity.state_ = EntityState::initialising;
  if (auto up = run_up(entity, Entity::Stage::initialised); !up) return up;
  if (moved == nullptr) return {};
  // A default that on_init writes does not count for one that has lived elsewhere.
  if (auto again = take_properties(entity, *moved); !again) return again;
  if (auto taken = unpack_machines(entity, *moved); !taken) return taken;
  return arrive(entity, *moved);
}

/// Its properties, as they were saved or as they travelled.
EntityResult<> EntityManager::load(Entity& entity, const CreateOptions& options,
                                   const MovedState* moved) {
  if (moved != nullptr) {
    LoadReport converted;
    if (auto taken = take_properties(entity, *moved, &converted); !taken) return taken;
    const bool by_name = moved->properties && moved->form == MovedForm::by_name;
    if (by_name && options_.observer != nullptr) options_.observer->converted(entity, converted);
    return {};
  }
  if (!options.saved) return {};
  entity::Root* properties = entity.properties();
  if (properties == nullptr) return EntityError(EntityErrc::bad_state, "it has no properties");
  if (const auto taken = properties->load_saved(*options.saved); !taken) {
    return EntityError(EntityErrc::bad_state, taken.error().to_string());
  }
  return {};
}

EntityResult<> EntityManager::take_properties(Entity& entity, const MovedState& moved,
                                              LoadReport* converted) {
  if (!moved.properties) return {};
  entity::Root* properties = entity.properties();
  if (properties == nullptr) return EntityError(EntityErrc::bad_state, "it has no properties");
  if (moved.form == MovedForm::by_name) {
    for (std::size_t i = 0; i < kAudiences; ++i) properties->unwatch(static_cast<Audience>(i));
    auto taken = properties->load_saved(*moved.properties);
    if (!taken) return EntityError(EntityErrc::bad_state, taken.error().to_string());
    // After the load: its former watchers begin with a snapshot.
    for (std::size_t i = 0; i < kAudiences; ++i) {
      const auto audience = static_cast<Audience>(i);
      if ((moved.watchers & bit_of(audience)) != 0) properties->watch(audience);
    }
    if (converted != nullptr) *converted = std::move(*taken);
  } else if (const auto taken = properties->apply_snapshot(*moved.properties); !taken) {
    const bool other = taken.error().code == DataErrc::schema_mismatch;
    return EntityError(other ? EntityErrc::other_schema : EntityErrc::bad_state,
                       taken.error().to_string());
  }
  if (moved.leaves_space()) static_cast<void>(properties->reset(Lifetime::space));
  return {};
}

/// Components in their order, then the entity. A hook may append components but not drop any, so
/// places do not change.
EntityResult<> EntityManager::run_up(Entity& entity, Entity::Stage stage) {
  for (std::size_t i = 0; i < entity.component_count(); ++i) {
    if (auto up = raise_component(entity, i, stage); !up) return up;
  }
  if (entity.doomed_) return EntityErrc::ended;
  const bool init = stage == Entity::Stage::initialised;
  auto up = call_hook(entity, nullptr, init ? Hook::init : Hook::activate,
                      [&] { return init ? entity.on_init() : entity.on_activate(); });
  if (!up) return up;
  entity.stage_ = stage;
  if (entity.doomed_) return EntityErrc::ended;
  return init ? EntityResult<>() : start_machines(entity, nullptr);
}

EntityResult<> EntityManager::raise_component(Entity& entity, std::size_t place,
                                              Entity::Stage stage) {
  if (entity.more().components[place].stage >= stage) return {};
  Component* const component = entity.more().components[place].component;
  const bool init = stage == Entity::Stage::initialised;
  auto up = call_hook(entity, component, init ? Hook::init : Hook::activate,
                      [&] { return init ? component->on_init() : component->on_activate(); });
  if (!up) return up;
  entity.more().components[place].stage = stage;
  if (entity.doomed_ || entity.state_ == EntityState::ending) return EntityErrc::ended;
  return init ? EntityResult<>() : start_machines(entity, component);
}

/// One that is added to an entity which is on its way, or there.
EntityResult<> EntityManager::raise_added(Entity& entity, Component* component) {
  const Busy busy(*this);
  const std::size_t place = entity.more().components.size() - 1;
  if (auto up = raise_component(entity, place, Entity::Stage::initialised); !up) return up;
  EntityResult<> up;
  if (entity.state_ == EntityState::alive) {
    up = raise_component(entity, place, Entity::Stage::active);
    if (up && entity.in_space_) up = enter(entity, component, EnterReason::entered);
  }
  if (!up && up.error().code != EntityErrc::ended) run_component_down(entity, place);
  return up;
}

}  // namespace starbus::entity
