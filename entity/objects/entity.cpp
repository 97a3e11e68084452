// An entity, and the components that it has.
#include "entity/objects/entity.hpp"

#include <algorithm>
#include <array>

#include "entity/objects/entity_manager.hpp"
#include "entity/properties/root.hpp"
#include "entity/rpc/endpoint.hpp"

namespace starbus::entity {

std::string_view name_of(EntityState state) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "constructed", "initialising", "alive", "frozen", "ghost", "ending"};
  return kNames.at(static_cast<std::size_t>(state));
}

Entity::Entity(const ConstructKey& key)
    : row_(&key.row_), online_(key.online_), slot_(key.local_.slot()) {
  // A constructor that keeps its key, to make a second one, is a programming error.
  if (std::exchange(key.used_, true)) throw std::logic_error("a ConstructKey is for one entity");
  set_class(rpc::ClassOf<Entity>::get());
}

Entity::~Entity() = default;

LocalId Entity::local_id() const {
  return home().table_.local_id(slot_);
}

std::string Entity::persistent_id() const {
  const EntityHeld* held = more_if();
  if (held != nullptr && !held->persistent_id.empty()) return held->persistent_id;
  return home().table_.names().of(online_);
}

OnlineId Entity::space() const {
  const EntityHeld* held = more_if();
  return held == nullptr ? OnlineId::none : held->space;
}

std::size_t Entity::timer_closures() const {
  std::size_t count = Part::timer_closures();
  if (more_if() == nullptr) return count;
  for (const Attached& each : more_if()->components) count += each.component->timer_closures();
  return count;
}

void Entity::destroy(EndReason reason) {
  home().destroy(*this, reason);
}

void Entity::move_to(std::string process, std::function<void(bus::Result<>)> done) {
  world().mover()(*this, std::move(process), std::move(done));
}

std::string Entity::label() const {
  return std::string(type().name()) + ' ' + persistent_id();
}

std::vector<const Component*> Entity::components() const {
  std::vector<const Component*> all;
  if (more_if() == nullptr) return all;
  for (const Attached& each : more_if()->components) all.push_back(each.component);
  return all;
}

EntityResult<MovingCode*> Entity::code() {
  if (stands_still() || doomed_ || arriving_) return EntityErrc::not_alive;
  if (home().options_.timers == nullptr) return EntityErrc::no_timers;
  return more().code ? more().code.get() : &make_code();
}

MovingCode& Entity::make_code() {
  auto& made = more().code;
  made = std::make_unique<MovingCode>(home(), *this, *home().options_.timers);
  answers_to(made->answers());
  return *made;
}

EntityResult<FlowId> Entity::add_flow(rpc::Endpoint& endpoint, std::string_view step,
                                      ByteView arguments, Time deadline) {
  const EntityResult<MovingCode*> moving = code();
  if (!moving) return moving.error();
  const std::string_view channel = endpoint.channel_of(*this);
  if (channel.empty()) return EntityError(EntityErrc::no_channel, label());
  Flows& flows = (*moving)->flows();
  flows.set_epoch(endpoint.bus().epoch(channel).value);
  const auto added = flows.wait(step, arguments, deadline);
  if (added) return *added;
  return EntityError(EntityErrc::step_refused, std::string(name_of(added.error().code)));
}

bool Entity::cancel_question(const FlowId& question) {
  MovingCode* const moving = code_if();
  return moving != nullptr && moving->flows().cancel(question);
}

EntityResult<std::uint64_t> Entity::add_timer(std::string_view step, ByteView arguments,
                                              const StepTime& when) {
  const EntityResult<MovingCode*> moving = code();
  if (!moving) return moving.error();
  NamedTimers& timers = (*moving)->timers();
  const NamedTimers::Options options{when.travel, when.catch_up};
  const auto added = when.interval == Time{0}
                         ? timers.after(step, arguments, when.first, options)
                         : timers.every(step, arguments, when.first, when.interval, options);
  if (added) return *added;
  return EntityError(EntityErrc::step_refused, std::string(name_of(added.error().code)));
}

bool Entity::cancel_step(std::uint64_t id) {
  MovingCode* const moving = code_if();
  return moving != nullptr && moving->timers().cancel(id);
}

EntityResult<> Entity::may_attach(const ComponentInfo& info) const {
  if (doomed_) return EntityErrc::ended;
  if (stands_still()) return EntityErrc::not_alive;
  if (find_component(info.number) != nullptr) {
    return EntityError(EntityErrc::duplicate_component, std::string(info.name));
  }
  if (more_if() != nullptr && more_if()->components.size() >= kMaxEntityComponents) {
    return EntityErrc::too_many_components;
  }
  return {};
}

/// The struct of the properties that is a component's state; null if its class has none.
EntityResult<StructBase*> Entity::state_for(const ComponentInfo& info, const Schema* schema) {
  if (schema == nullptr) return nullptr;
  StructBase* state = nullptr;
  if (entity::Root* const root = properties()) {
    const FieldInfo* const field = root->schema().find(info.name);
    const bool same = field != nullptr && field->type->nested() == schema;
    const PathStep* const itself = nullptr;
    if (same) state = field->type->descend(field->of(*root), itself);  // null of a bag
  }
  if (state != nullptr) return state;
  return EntityError(EntityErrc::wrong_owner,
                     std::string(info.name) + ": the owner's properties have no StateOf for it");
}

/// Takes ownership of the component; destroys it on failure.
EntityResult<> Entity::attach_part(Component* component, rpc::CallableBase* host) {
  // The constructor may have added others, or have ended the entity.
  if (auto may = may_attach(component->info_); !may) {
    delete component;
    return may;
  }
  if (host != nullptr) {
    if (const auto attached = attach(*host); !attached) {
      EntityError error(EntityErrc::duplicate_component, attached.error().to_string());
      delete component;
      return error;
    }
  }
  EntityHeld& held = more();
  held.components.push_back({component, host, Stage::constructed, false});
  if (held.numbers.size() <= component->info_.number) {
    held.numbers.resize(component->info_.number + 1U);
  }
  held.numbers[component->info_.number] = static_cast<std::uint8_t>(held.components.size());
  if (arriving_) component->pause();
  if (state_ == EntityState::constructed) return {};  // those of the declaration: later, in order
  auto raised = home().raise_added(*this, component);
  if (!raised && raised.error().code != EntityErrc::ended) drop_component(component);
  return raised;
}

EntityError Entity::construction_failed(std::string_view component) const {
  return home().constructor_threw(label(), component);
}

/// Destroys a component whose creation failed.
void Entity::drop_component(const Component* component) {
  EntityHeld& held = more();
  const auto found = std::ranges::find(held.components, component, &Attached::component);
  const Attached dropped = *found;
  if (dropped.host != nullptr) dropped.host->close_rpc();
  dropped.component->let_go();
  held.components.erase(std::ranges::find(held.components, component, &Attached::component));
  std::ranges::fill(held.numbers, std::uint8_t{0});
  for (std::size_t i = 0; i < held.components.size(); ++i) {
    held.numbers[held.components[i].component->info_.number] = static_cast<std::uint8_t>(i + 1);
  }
  delete dropped.component;
}

}  // namespace starbus::entity
