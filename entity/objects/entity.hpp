/// The base of game objects that a process has many of, and that can be called, saved and moved.
///
///   class Player final : public entity::EntityOf<Player, Actor, entity::Components<Bag, Quests>> {
///    public:
///     void walk(rpc::Caller&, int steps);
///     static constexpr auto kRpc = rpc::methods<&Player::walk>(rpc::own_client);
///     PlayerState state;                  // its properties: a public member of this name
///    private:
///     entity::EntityResult<> on_init() override;
///   };
///
/// Its type is named as its class, "player", or as a `kTypeName` says. A constructor takes what
/// create() passes on, and in front of it the key, if the base wants that:
/// `Guard(const entity::ConstructKey& key, Town& town) : EntityOf(key)`; the destructor is
/// protected, or private, then.
///
/// Belongs to the loop's thread and to the EntityManager, which alone makes and destroys it: see
/// entity_manager.hpp. An entity that is to live on elsewhere is held by its id, not by a pointer.
/// Owns its components. A declared list is attached in its order, after that of the base.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "entity/identity/factory.hpp"
#include "entity/identity/flags.hpp"
#include "entity/objects/client.hpp"
#include "entity/objects/component.hpp"
#include "entity/objects/construct_key.hpp"
#include "entity/objects/moving_code.hpp"
#include "entity/objects/pending_key.hpp"
#include "entity/rpc/encode_call.hpp"

namespace starbus::entity {

class Root;  // of properties
namespace sessions {
struct Left;
struct LinkLost;
}  // namespace sessions

/// How far an entity is in its life.
enum class EntityState : std::uint8_t {
  constructed,   // its components are being made
  initialising,  // on_init runs, of one part after the other
  alive,         // may be found and called
  frozen,        // its state was packed for a move
  ghost_copy,    // a copy of one that lives in another process: nothing of it runs
  ending,        // nothing of it runs any more, but the hooks of the end
};
std::string_view name_of(EntityState state);

/// The components that a class declares, in their order.
template <class... C>
struct Components {};

class Entity : public Part, public rpc::CallableBase {
 public:
  using Root = Entity;
  using TypeSelf = Entity;
  using TypeParent = void;
  using MadePointer = Entity*;
  using Component = entity::Component;  // hides the one of CallableBase
  /// Number of ancestors.
  static constexpr std::size_t kTypeDepth = 0;
  static constexpr std::string_view kTypeName = "entity";
  /// The description of EntityManager::describe, for people and tools; servers may call it on any
  /// entity that has a name (bustop entity NAME).
  std::string inspect(rpc::Caller& from);
  /// A word of its account or of its gate to the link, and the answer: the bytes of
  /// entity/client/words.hpp.
  std::string session(rpc::Caller& from, const std::string& word);
  /// To an account: a word of the entity that one of its sessions plays. False: malformed.
  bool player_word(rpc::Caller& from, const std::string& word);
  static constexpr auto kRpc =
      rpc::methods("starbus_entity", rpc::method<&Entity::inspect>("inspect"),
                   rpc::method<&Entity::session>("session", rpc::gate),
                   rpc::method<&Entity::player_word>("player_word"));

  /// Also while it is being constructed.
  const TypeInfo& type() const { return *row_->type; }
  EntityManager& home() const { return *row_->home; }
  LocalId local_id() const;
  OnlineId online_id() const { return online_; }
  /// The one that it was given, or one that is made from the online id.
  std::string persistent_id() const;
  EntityState life() const { return state_; }
  EntityFlags& flags() { return flags_; }
  const EntityFlags& flags() const { return flags_; }
  /// Why it runs here. It is `resumed` from the end of a move that was given up on.
  StartReason start_reason() const { return start_reason_; }
  /// The process "HOST.NODE" that it is being packed for, or was; empty: it does not move.
  std::string_view moving_to() const {
    const MovePlan* const plan = move_plan();
    return plan == nullptr ? std::string_view() : std::string_view(plan->target);
  }
  /// Where it goes, or has gone to; at the target until it lives there. Null: it does not move.
  const MovePlan* move_plan() const {
    return more_if() == nullptr || !more_if()->plan ? nullptr : &*more_if()->plan;
  }
  /// none: it is in no space.
  OnlineId space() const;
  /// See EntityManager::destroy.
  void destroy(EndReason reason = EndReason::destroyed);
  /// Moves it to another process, "HOST.NODE", as EntityHost::move does. `done` hears the end: it
  /// lives there, and has gone here; or it goes on here, and why. Without it a failure is logged.
  /// Throws std::logic_error in a world without an EntityHost.
  void move_to(std::string process, std::function<void(bus::Result<>)> done = {});
  /// "player 7f3a": for logs.
  std::string label() const;

  /// The client that plays it; null-like if none does.
  Client client() { return Client(*this); }
  /// Null: no account has ever linked it.
  sessions::ClientLink* client_link() const {
    const EntityHeld* held = more_if();
    return held == nullptr || !held->client ? nullptr : held->client->link.get();
  }
  std::shared_ptr<sessions::ClientLink> shared_client_link() const {
    return client_link() == nullptr ? nullptr : more_if()->client->link;
  }
  /// Where it was before its latest move.
  bus::Process client_home_before() const { return more_if()->client->before; }

  /// Null if it has none of this class.
  template <class C>
  C* component() const {
    return static_cast<C*>(find_component(component_info<C>().number));
  }
  /// Adds one to those of the declaration: it is initialised at once if the entity is, and
  /// activated if that is. Errors: duplicate_component, too_many_components, wrong_owner,
  /// not_alive, init_failed, ended; the component is gone then.
  template <class C, class... A>
  EntityResult<C*> add_component(A&&... arguments);
  /// In the order of attaching.
  std::vector<const Component*> components() const;

  // --- code that travels: see step.hpp ---

  /// A timer that calls a step of its class with these arguments; 1, 2, 3..., an id of its own
  /// through all moves. Errors: not_alive (also while it arrives: until on_activate), no_timers,
  /// too_large, step_refused.
  template <auto S, class... A>
  EntityResult<std::uint64_t> run_later(const StepTime& when, A&&... arguments);
  /// Calls a step every `interval`, unless a timer that calls it is there already: for on_activate,
  /// which runs also where the entity arrives with its timers. Errors: as run_later.
  template <auto S, class... A>
  EntityResult<> run_every(Time interval, A&&... arguments);
  /// Calls a method M of another object; a step S of this class gets the answer, followed by
  /// the values of `kept`, once, wherever the entity is by then. Always ends: as rpc::call does, or
  /// at the deadline, which counts during a move, too. The entity must be bound at this endpoint.
  /// Errors, after which nothing was sent: not_alive, no_timers, no_channel, too_large (the kept
  /// values, or the arguments, which must fit their types), step_refused.
  template <auto M, auto S, class... Kept, class... A>
  EntityResult<FlowId> ask(rpc::Endpoint& endpoint, const rpc::Address& to,
                           const rpc::AskOptions& options, std::tuple<Kept...> kept,
                           A&&... arguments);
  /// The same at the endpoint of world(); `to` is a channel, or a Ref.
  template <auto M, auto S, class To, class... Kept, class... A>
  EntityResult<FlowId> ask(const To& to, const rpc::AskOptions& options, std::tuple<Kept...> kept,
                           A&&... arguments) {
    return ask<M, S>(world().rpc(), objects_detail::address_of<M>(to), options, std::move(kept),
                     std::forward<A>(arguments)...);
  }
  template <auto M, auto S, class To, class... Kept, class... A>
  EntityResult<FlowId> ask(const To& to, std::tuple<Kept...> kept, A&&... arguments) {
    return ask<M, S>(to, rpc::AskOptions{}, std::move(kept), std::forward<A>(arguments)...);
  }
  /// Forgets a question: its answer is dropped. Was it waited for?
  bool cancel_question(const FlowId& question);
  std::size_t questions() const { return code_if() == nullptr ? 0 : code_if()->flows().size(); }
  /// Was it pending?
  bool cancel_step(std::uint64_t id);
  /// How many timers wait to call this step.
  template <auto S>
  std::size_t waiting() const {
    const EntityHeld* held = more_if();
    return held == nullptr || !held->code ? 0 : held->code->timers().size_named(step_name<S>());
  }
  /// Null: its class declares no such step.
  virtual const Step* find_step(std::string_view) const { return nullptr; }

  /// The properties of the class, if it has some: saved, loaded and moved with it.
  virtual entity::Root* properties() { return nullptr; }
  /// A client plays it from now on: also one that has come back, or that has proved itself anew.
  virtual void on_client() {}
  /// And not any more.
  virtual void on_client_gone(sessions::Reason) {}
  /// Of an account: the entity that its session plays has let it go, or wants to be bound again.
  virtual void on_player_word(const std::variant<sessions::Left, sessions::LinkLost>&) {}

  /// Timers of timers(), of its own and of its components: closures, which cannot travel.
  std::size_t timer_closures() const;

 protected:
  explicit Entity(const ConstructKey& key);
  /// For classes whose constructor takes no key: within EntityOf::construct.
  Entity() : Entity(objects_detail::PendingKey<ConstructKey>::take()) {}
  ~Entity() override;

  /// Overridden by EntityOf: makes the declared components, of the base class first.
  virtual EntityResult<> make_components() { return {}; }

 private:
  friend class EntityManager;
  friend class EntityTable;
  enum class Stage : std::uint8_t { constructed, initialised, active };
  struct Attached {
    Component* component;
    rpc::CallableBase* host;  // null: it has no methods
    Stage stage;
    bool in_space;
  };
  struct EntityHeld final : Held {
    std::vector<Attached> components;   // in order
    std::vector<std::uint8_t> numbers;  // by ComponentInfo::number: 1 + the place above
    std::string persistent_id;
    OnlineId space = OnlineId::none;
    std::optional<MovePlan> plan;
    std::unique_ptr<MovingCode> code;
    std::unique_ptr<EntityClient> client;
  };
  /// Nothing of it runs any more, or for now.
  bool stands_still() const {
    return state_ == EntityState::frozen || state_ == EntityState::ghost_copy ||
           state_ == EntityState::ending;
  }
  const Entity& acting_entity() const final { return *this; }
  rpc::CallableBase& acting_object() final { return *this; }
  std::unique_ptr<Held> make_held() override { return std::make_unique<EntityHeld>(); }
  EntityHeld& more() { return static_cast<EntityHeld&>(held()); }
  EntityHeld* more_if() const { return static_cast<EntityHeld*>(held_.get()); }

  std::size_t component_count() const {
    const EntityHeld* held = more_if();
    return held == nullptr ? 0 : held->components.size();
  }
  Component* find_component(std::uint32_t number) const {
    const EntityHeld* held = more_if();
    if (held == nullptr || number >= held->numbers.size()) return nullptr;
    const std::uint8_t place = held->numbers[number];
    return place == 0 ? nullptr : held->components[place - 1U].component;
  }
  MovingCode* code_if() const { return more_if() == nullptr ? nullptr : more_if()->code.get(); }
  /// Makes it. Errors: not_alive, no_timers.
  EntityResult<MovingCode*> code();
  MovingCode& make_code();
  EntityResult<FlowId> add_flow(rpc::Endpoint& endpoint, std::string_view step, ByteView arguments,
                                Time deadline);
  EntityResult<std::uint64_t> add_timer(std::string_view step, ByteView arguments,
                                        const StepTime& when);
  EntityResult<> may_attach(const ComponentInfo& info) const;
  EntityResult<StructBase*> state_for(const ComponentInfo& info, const Schema* schema);
  EntityResult<> attach_part(Component* component, rpc::CallableBase* host);
  EntityError construction_failed(std::string_view component) const;
  void drop_component(const Component* component);

  EntityClient& make_client(std::shared_ptr<sessions::ClientLink> link);
  void pack_client(Bytes& out);
  bool unpack_client(ByteView bytes);
  /// It was not packed after all.
  void client_goes_on();

  EntityRow* row_;
  OnlineId online_;
  EntityFlags flags_;
  std::uint32_t slot_;
  std::uint32_t place_ = 0;  // in row_->slots
  EntityState state_ = EntityState::constructed;
  Stage stage_ = Stage::constructed;  // the entity's own
  bool rising_ = true;                // within its creation
  bool doomed_ = false;               // destroyed within its creation
  bool in_space_ = false;             // its own hook has run
  bool arriving_ = false;  // it comes from another process: nothing of it runs but its hooks
  bool ghost_ = false;     // it is one, or takes the place of one
  StartReason start_reason_ = StartReason::born;
};

namespace objects_detail {

/// Whether a class has a public member `state` that is its properties.
template <class T>
concept HasState = std::is_convertible_v<decltype(&std::declval<T&>().state), entity::Root*>;

/// Whether a class has a kRpc of its own, and does not merely inherit one.
template <class T>
constexpr bool has_own_rpc() {
  using Parent = typename T::TypeParent;
  if constexpr (std::is_void_v<Parent>) {
    return true;
  } else if constexpr (!std::is_same_v<decltype(T::kRpc), decltype(Parent::kRpc)>) {
    return true;
  } else {
    return &T::kRpc != &Parent::kRpc;
  }
}
/// The class itself, or its nearest ancestor, that has one.
template <class T, bool kOwn = has_own_rpc<T>()>
struct RpcNearest {
  using type = T;
};
template <class T>
struct RpcNearest<T, false> : RpcNearest<typename T::TypeParent> {};

}  // namespace objects_detail

/// Between a class of entities and its parent; passes its constructor's arguments on to that. The
/// methods of the nearest ancestor that has some can be called, too.
template <class Self, class Parent = Entity, class List = Components<>>
class EntityOf : public Parent {
 public:
  using TypeSelf = Self;
  using TypeParent = Parent;
  using TypeComponents = List;
  using RpcBase = typename objects_detail::RpcNearest<Parent>::type;
  /// Number of ancestors.
  static constexpr std::size_t kTypeDepth = Parent::kTypeDepth + 1;
  static_assert(kTypeDepth < kMaxTypeDepth);

  /// For the EntityManager, which alone can make the key.
  template <class... A>
  static Self* construct(const ConstructKey& key, A&&... arguments) {
    if constexpr (requires { new Self(key, std::forward<A>(arguments)...); }) {
      return new Self(key, std::forward<A>(arguments)...);
    } else {
      const objects_detail::PendingKey<ConstructKey> pending(key);
      return new Self(std::forward<A>(arguments)...);
    }
  }
  /// Its public member `state`, if it has one. A class whose properties are elsewhere overrides it.
  entity::Root* properties() override {
    if constexpr (objects_detail::HasState<Self>) {
      return &static_cast<Self&>(*this).state;
    } else {
      return Parent::properties();
    }
  }
  const Step* find_step(std::string_view name) const override {
    if constexpr (requires { Self::kSteps; }) {
      if (const Step* found = Self::kSteps.find(name)) return found;
    }
    if (const Step* found = step_of_components(name, List{})) return found;
    return Parent::find_step(name);
  }
  /// Whether its constructor takes the key alone, or nothing.
  static constexpr bool made_by_key() {
    constexpr bool kByKey = requires(const ConstructKey& key) {
      new Self(key);
    };
    constexpr bool kByNothing = requires {
      new Self();
    };
    return kByKey || kByNothing;
  }

 protected:
  template <class... A>
  explicit EntityOf(const ConstructKey& key, A&&... arguments)
      : Parent(key, std::forward<A>(arguments)...) {
    static_assert(!std::is_destructible_v<Self>,
                  "only the manager ends it: its destructor is protected, or private");
    if constexpr (objects_detail::has_own_rpc<Self>()) {
      this->set_class(rpc::ClassOf<Self>::get());
    }
  }
  EntityOf() {
    if constexpr (objects_detail::has_own_rpc<Self>()) {
      this->set_class(rpc::ClassOf<Self>::get());
    }
  }
  ~EntityOf() override = default;

  EntityResult<> make_components() override {
    if (auto made = Parent::make_components(); !made) return made;
    return make_each(List{});
  }

 private:
  template <class... C>
  EntityResult<> make_each(Components<C...>) {
    static_assert((std::is_base_of_v<typename C::OwnerClass, Self> && ...),
                  "the component is for entities of another class");
    EntityResult<> made;
    static_cast<void>((make_one<C>(made) && ...));
    return made;
  }
  template <class C>
  bool make_one(EntityResult<>& made) {
    if (const auto added = this->template add_component<C>(); !added) made = added.error();
    return made.has_value();
  }
};

}  // namespace starbus::entity

#include "entity/objects/entity_templates.hpp"
