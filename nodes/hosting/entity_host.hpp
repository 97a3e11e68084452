/// The entities of a node: an EntityManager that the node's loop drives, with ids from the cluster
/// manager, channel names, property updates, saving, moves between processes, the lease and the
/// drain. Its parts: PublishedNames, EntitySync, EntitySaver, EntityMail, EntityNotices,
/// Departures, Arrivals, Entries, EntityAdmin.
///
///   class Town final : public nodes::App {
///     bus::Result<> start(nodes::Node& node) override {
///       host_.emplace(node.rpc(), node.timers(), node.name(), entities::HostOptions{});
///       host_->declare<Player>();
///       return host_->join(node);
///     }
///     void enter(const std::string& who) {
///       host_->enter<Player>("player/" + who, {}, [](const auto& entered) { ... });
///     }
///     std::optional<entities::EntityHost> host_;
///   };
///
/// Belongs to the loop's thread. Owns the entities. Destroy it before the endpoint and the timer
/// wheel, and never within a hook. Failures are values; failures of hooks are logged.
/// docs/guide/entity-hosts.md.
#pragma once

#include <algorithm>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/unit_guard.hpp"
#include "bus/client/initiate_early.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/rpc/endpoint.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/hosting/arrivals.hpp"
#include "nodes/hosting/client_links.hpp"
#include "nodes/hosting/departures.hpp"
#include "nodes/hosting/entering/asked_entry.hpp"
#include "nodes/hosting/entering/entries.hpp"
#include "nodes/hosting/entering/entry_control.hpp"
#include "nodes/hosting/entity_admin.hpp"
#include "nodes/hosting/entity_saver.hpp"
#include "nodes/hosting/entity_sync.hpp"
#include "nodes/hosting/guarded_sink.hpp"
#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/host_options.hpp"
#include "nodes/hosting/mail/entity_mail.hpp"
#include "nodes/hosting/mail/entity_notices.hpp"
#include "nodes/hosting/published_names.hpp"
#include "nodes/manager/id_source.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::entities {

class EntityHost final : private entity::EntityObserver {
 public:
  /// `node` is part of persistent ids: see PersistentIdSource.
  EntityHost(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, std::string_view node,
             HostOptions options);
  ~EntityHost();
  EntityHost(const EntityHost&) = delete;
  EntityHost& operator=(const EntityHost&) = delete;

  /// Declares a class of entities. Call it before join(), which fails if two have one name. A class
  /// that cannot arrive from another process, as its constructor takes more than the key, is logged
  /// unless TypeOptions::stays says that this is meant. join() fails, too, if a class reads mail
  /// (mail/inbox.hpp) and nothing is saved.
  template <entity::EntityClass T>
  void declare(const TypeOptions& options = {}) {
    static_cast<void>(entity::declare_entity<T>(types_));
    declare_mail<T>();
    constexpr bool kAbstract = std::is_abstract_v<T>;
    declared(entity::type_info<T>(), options, kAbstract || T::made_by_key(), !kAbstract);
  }
  /// With a function `(const ConstructKey&) -> T*` that makes it, also when it arrives: it calls
  /// T::construct(key, arguments...).
  template <entity::EntityClass T, class Make>
  requires std::is_invocable_r_v<T*, Make&, const entity::ConstructKey&>
  void declare(Make make, const TypeOptions& options = {}) {
    static_cast<void>(entity::declare_entity<T>(types_, std::move(make)));
    declare_mail<T>();
    declared(entity::type_info<T>(), options, true, true);
  }
  /// What the code of its entities reaches: the endpoint and the timers, this EntityHost, after
  /// join() the Node; and what the program adds, such as its database.
  entity::World& world() { return world_; }
  entity::EntityManager& entities() { return *entities_; }
  const entity::EntityManager& entities() const { return *entities_; }

  /// Lets the entity of type T with this channel name be here, unless it lives elsewhere: binds the
  /// name, then loads the entity (HostOptions::load), or makes it if nothing of it is saved.
  ///
  ///   const auto ada = co_await host.enter<Player>("player/ada");     // or with a token
  ///   if (ada && ada->entity) ada->entity->greet();                   // else at ada->elsewhere
  ///
  /// Callers at the same time get the same entity. Errors: see Entries::enter.
  template <entity::EntityClass T, bus::CompletionFor<Entered<T>> Token = bus::Awaited>
  auto enter(std::string name, const EnterOptions& options = {}, Token&& token = Token()) {
    static_assert(T::made_by_key(), "an entity that enters is made from its key alone");
    std::string id(options.persistent_id.empty() ? id_in(name) : options.persistent_id);
    Entries::Wanted wanted{&entity::type_info<T>(), std::move(name), std::move(id), options.make};
    return bus::initiate_early<Entered<T>>(
        std::forward<Token>(token),
        [this, w = std::move(wanted)](bus::Done<Entered<T>> done) mutable {
          entity::Ref<T> ref(w.name);
          entries_.enter(std::move(w), [ref = std::move(ref), done = std::move(done)](
                                           const bus::Result<Entries::Outcome>& end) {
            if (!end) return done(end.error());
            done(Entered<T>{static_cast<T*>(end->entity), end->how, end->elsewhere, ref});
          });
        });
  }

  /// The same in a process that is named, or in the ready node of a role that is least busy, as the
  /// manager knows it; unless it lives elsewhere already.
  ///
  ///   co_await host.enter_at<Player>("player/ada", {.node = "b.town"})
  ///   co_await host.enter_at<Player>("player/ada", {.least_loaded = "town"})
  ///
  /// Its program declares the type, too. In that process the entity is `entered.elsewhere`, unless
  /// that is this one; `how` says whether it was made or loaded for this call. Errors: those of
  /// enter there; those of a call: no_owner (no EntityHost there, or no manager), denied, deadline;
  /// no_owner also if no node of the role is ready; bad_config: not one of the two places is named.
  template <entity::EntityClass T, bus::CompletionFor<Entered<T>> Token = bus::Awaited>
  auto enter_at(std::string name, const EnterAt& where, Token&& token = Token()) {
    std::string id(where.persistent_id.empty() ? id_in(name) : where.persistent_id);
    EntryRequest request{std::string(entity::type_info<T>().name()), std::move(name), std::move(id),
                         where.make};
    EnterAt place = where;  // whose views are copied here
    return bus::initiate_early<Entered<T>>(
        std::forward<Token>(token),
        [this, node = std::string(where.node), role = std::string(where.least_loaded), place,
         r = std::move(request)](bus::Done<Entered<T>> done) mutable {
          place.node = node;
          place.least_loaded = role;
          entity::Ref<T> ref(r.name);
          enter_there(
              entity::type_info<T>(), std::move(r), place,
              [ref = std::move(ref),
               done = std::move(done)](const bus::Result<Entries::Outcome>& end) {
                if (!end) return done(end.error());
                done(Entered<T>{static_cast<T*>(end->entity), end->how, end->elsewhere, ref});
              });
        });
  }

  /// Binds a channel name, by default "entity/ID" with the online id in base 16: then any process
  /// may call the entity. After its end calls get no_such_entity, and the name is free for others
  /// after its state is saved. Errors: those of Endpoint::bind; not_bound if it has ended; busy if
  /// it moves, or is saved and kMaxUnsavedEnds that have ended wait to be stored.
  /// Each operation here is awaited (`co_await host.publish(*player, name)`), or given a token.
  template <bus::CompletionFor<void> Token = bus::Awaited>
  auto publish(entity::Entity& entity, std::string name, Token&& token = Token()) {
    const entity::OnlineId id = entity.online_id();  // a token may start it when the entity is gone
    return bus::initiate<void>(token, [this, id, n = std::move(name)](Done done) mutable {
      publish_now(id, std::move(n), std::move(done));
    });
  }
  template <bus::CompletionFor<void> Token = bus::Awaited>
  auto publish(entity::Entity& entity, Token&& token = Token()) {
    return publish(entity, channel_of(entity.online_id()), std::forward<Token>(token));
  }
  static std::string channel_of(entity::OnlineId id);

  /// Moves an entity that has one name to the EntityHost of another process, "HOST.NODE", with its
  /// messages, steps and pending calls. Completes when it lives there and has ended here as
  /// EndReason::moved. Waits for its coroutines and calls first: see MoveOptions. From the packing
  /// to the end it is frozen. After an error it lives on here, as it was: the errors of
  /// Endpoint::move; not_bound, busy (it moves already, or work that cannot travel has not ended:
  /// the text names it), closed (the node drains), move_refused (by a hook or by the target: the
  /// text says why).
  template <bus::CompletionFor<void> Token = bus::Awaited>
  auto move(entity::Entity& entity, std::string target, const MoveOptions& how,
            Token&& token = Token()) {
    const entity::OnlineId id = entity.online_id();
    return bus::initiate<void>(token, [this, id, how, t = std::move(target)](Done done) mutable {
      departures_.begin(id, std::move(t), how, std::move(done));
    });
  }
  template <bus::CompletionFor<void> Token = bus::Awaited>
  auto move(entity::Entity& entity, std::string target, Token&& token = Token()) {
    return move(entity, std::move(target), MoveOptions{}, std::forward<Token>(token));
  }

  /// Called of each entity that has come from another process, when it is activated, owned and
  /// bound here, and before the first message to it is handed over. Once, before join().
  void on_arrived(std::function<void(entity::Entity&)> callback) {
    context_.on_arrived = std::move(callback);
  }
  /// An entity is made here from the state of a move that this process owns already, or that is to
  /// be saved: a hook that refuses would lose it.
  bool owns_arrival() const { return arrivals_.owned_already(); }

  /// Sends the sink the whole state that an audience sees of an entity, within this call, and later
  /// its changes, tick by tick: for a new watcher, or one that has lost an update. Errors:
  /// wrong_audience (no sink, or no properties), too_large.
  entity::DataResult<> watch(entity::Entity& entity, entity::Audience audience) {
    return sync_.show(entity, audience);
  }
  /// The same for a watcher that has the state of a version: the sink gets what has changed since,
  /// or the whole state if the version is of another lineage, or older than the watching.
  entity::DataResult<> watch(entity::Entity& entity, entity::Audience audience,
                             const entity::Version& since) {
    return sync_.show(entity, audience, since);
  }
  /// Sends changes and starts due saves, over as many turns of the loop as that takes. Called every
  /// HostOptions::tick.
  void tick();
  /// Saves an entity now, if it has changed. Completes when it is stored; not_bound: it is never
  /// saved.
  template <bus::CompletionFor<void> Token = bus::Awaited>
  auto save_now(entity::Entity& entity, Token&& token = Token()) {
    return bus::initiate_early<void>(std::forward<Token>(token), [this, &entity](Done done) {
      saver_.save_now(entity, as_unit(UnitKind::completion, std::move(done)));
    });
  }

  /// Follows the states of a node. Call it within App::start. The node is ready when ids are
  /// available; its drain ends and saves all entities; a lost lease ends published entities.
  bus::Result<> join(Node& node);

  // --- called by join(); for programs without a node ---
  /// Lets other processes make entities enter here: binds entities/HOST.NODE. Errors: those of
  /// Endpoint::bind.
  void open_entries(Done done);
  /// Ends all entities. `done` is called when they are saved. No entity can be created any more.
  void drain(Done done);
  /// The lease is lost: entities that have a name end as EndReason::fenced.
  void lose_all();

  /// For people: "2 entities to end, 1 to be saved: player alice"; empty if there is nothing.
  std::string waits_for() const;
  const HostCounters& counters() const { return context_.counters; }
  const ClientLinks& clients() const { return clients_; }
  const SyncCounters& told() const { return sync_.counters(); }
  const MailCounters& mail() const { return mail_.counters(); }
  const NoticeCounters& notices() const { return notices_.counters(); }
  const SnapshotCache& snapshots() const { return sync_.snapshots(); }
  /// Entities whose present state is not stored, those that have ended among them.
  std::size_t unsaved() const { return saver_.pending(); }

 private:
  /// "ada" of "player/ada".
  static std::string_view id_in(std::string_view name) {
    return name.substr(std::min(name.size(), name.find('/') + 1));
  }
  // EntityObserver
  void unsettled() override { settle_soon(); }
  entity::EntityResult<> admits(const entity::TypeInfo& type, bool named) override;
  void activated(entity::Entity& entity) override;
  void ending(entity::Entity& entity, entity::EndReason reason) override;
  void finished(entity::Entity& entity, entity::EndReason reason) override;
  void step_began(const entity::Entity& entity, std::string_view step) override;
  void step_ended() override;
  void failed(const entity::HookFailure& failure) override;
  void converted(entity::Entity& entity, const entity::LoadReport& report) override;
  void describe(const entity::Entity& entity, nlohmann::ordered_json& shown) const override;

  void enter_there(const entity::TypeInfo& type, EntryRequest request, const EnterAt& where,
                   Entries::Ended ended);
  void publish_now(entity::OnlineId id, std::string name, Done done);
  template <class T>
  void declare_mail() {
    constexpr bool kReads = declares_component<T, Inbox>();
    if constexpr (!std::is_abstract_v<T> && requires { T::kMail; }) {
      static_assert(kReads || declares_component<T, Notices>(),
                    "a class with kMail has the component Inbox, or Notices");
    }
    MailTable table;
    collect_mail<T>(table);
    mail_.declare(entity::type_info<T>(), std::move(table), kReads);
  }
  void declared(const entity::TypeInfo& type, const TypeOptions& options, bool by_name,
                bool arrives);
  void settle_soon();
  void settle();
  void wait_for_ids(Done done);
  bus::Result<> tick_with(Ticker& ticker);
  void send_changes();
  void end_those_that_stay();
  void begin_end();
  void end_of_drain();

  GuardedSink sink_;  // that of the options
  const HostOptions options_;
  HostContext context_;
  entity::World world_;
  entity::EntityFactory types_;
  manager::IdSource ids_;
  EntitySync sync_;
  ClientLinks clients_;
  PublishedNames names_;
  EntitySaver saver_;
  EntityMail mail_;
  EntityNotices notices_;
  Departures departures_;
  Arrivals arrivals_;
  Entries entries_;
  EntryControl entry_control_;
  EntityAdmin admin_;
  bool sending_ = false;        // a tick goes on in a later turn of the loop
  bool scheduled_ = false;      // settle() is posted
  Done drained_;                // set while it drains
  bool ending_all_ = false;     // no moves any more
  entity::TimerId tick_timer_;  // without a node
  Ticker* ticker_ = nullptr;    // of the node
  entity::TickId ticking_;
  std::unique_ptr<entity::EntityManager> entities_;  // ends first
};

}  // namespace starbus::nodes::entities
