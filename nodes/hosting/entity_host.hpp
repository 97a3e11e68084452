/// The entities of a node: an EntityManager, driven by the node's loop, and what surrounds it:
/// channels, ids from the cluster's manager, ticks that tell what has changed, saving, moves, the
/// lease, the drain.
///
///   class Town final : public nodes::App {
///     bus::Result<> start(nodes::Node& node) override {
///       host_.emplace(node.rpc(), node.timers(), node.name(), entities::HostOptions{});
///       host_->declare<Player>();
///       return host_->join(node);
///     }
///     void enter(const std::string& who) {
///       Player* player = host_->entities().create<Player>().value();
///       host_->publish(*player, "player/" + who, [](bus::Result<> reachable) { ... });
///     }
///     std::optional<entities::EntityHost> host_;
///   };
///
/// Belongs to the loop's thread; owns the entities, and ends before the endpoint and the wheel, not
/// within a hook. Failures are values; those of hooks are logged. docs/guide/entity-hosts.md.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/admin/admin_http.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/hosting/arrivals.hpp"
#include "nodes/hosting/entity_saves.hpp"
#include "nodes/hosting/entity_sync.hpp"
#include "nodes/hosting/limits.hpp"
#include "nodes/hosting/unsaved_list.hpp"
#include "nodes/manager/id_source.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::entities {

struct HostOptions {
  std::size_t most = entity::kMaxEntities;
  /// The manager's counter that online ids come from.
  std::string counter = "entities";
  /// Online ids from elsewhere: tests, and clusters without a manager.
  entity::EntityManager::DrawId draw = {};
  /// Entities whose channels begin so may move here.
  std::vector<std::string> take_in = {"entity/"};
  /// Where entities are kept that have properties with `save`: DbSaver, or one of your own. Each is
  /// saved save_every behind its first change, and when it ends, unless it was moved or fenced. Not
  /// set: nothing is saved.
  Store save = {};
  std::chrono::milliseconds save_every{kSaveEvery};  // 0: only when it ends
  /// Who takes what changes of their properties; outlives the host. Null: nobody, but mirrors.
  AudienceSink* sink = nullptr;
  /// How often that is told, and what is due is saved; in a node at the earliest with its next
  /// tick, in the phase `sync`. 0: when tick() is called.
  std::chrono::milliseconds tick{kTick};
};

/// What holds for all entities of a type here.
struct TypeOptions {
  /// Other processes may mirror it: a replica::Mirror of its channel, with a PropertiesCopy, has
  /// its ghost properties. It costs a record of each change of one, whether anybody mirrors it or
  /// not.
  bool mirrored = false;
  /// Properties with `save` that the store is given as values, too: {"level", "stats.strength"}. A
  /// DbSaver has them in the document, for indexes. At most kMaxSearchable; of others, and of what
  /// is no such property, the log says so when the first entity of the type lives.
  std::vector<std::string> searchable = {};
};

struct HostCounters {
  std::uint64_t saved = 0;
  std::uint64_t unsaved = 0;    // a save that failed, or took too long
  std::uint64_t unchanged = 0;  // entities that ended as they had been saved
  std::uint64_t fenced = 0;     // entities that ended with the lease
  std::uint64_t moved_out = 0;
  std::uint64_t moved_in = 0;
  std::uint64_t moves_failed = 0;      // they went on here
  std::uint64_t arrivals_refused = 0;  // they went on where they were
  std::uint64_t arrivals_late = 0;     // activations that failed, and were tried again
  std::uint64_t arrivals_lost = 0;     // owned here, and never activated
};

class EntityHost final : private entity::EntityObserver {
 public:
  /// `node` is part of persistent ids: see PersistentIdSource.
  EntityHost(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, std::string_view node,
             HostOptions options);
  ~EntityHost();
  EntityHost(const EntityHost&) = delete;
  EntityHost& operator=(const EntityHost&) = delete;

  /// A class, before join(), which fails if two have one name.
  template <entity::EntityClass T>
  void declare(const TypeOptions& options = {}) {
    static_cast<void>(entity::declare_entity<T>(types_));
    declared_[&entity::type_info<T>()] = {options};
  }
  entity::EntityManager& entities() { return *entities_; }
  const entity::EntityManager& entities() const { return *entities_; }

  /// Binds "entity/ID" with the online id in base 16, or a name of its own: from then on any
  /// process may call it. From its end on calls get no_such_entity, and the name is free for others
  /// when what it was is saved. Errors: those of Endpoint::bind; not_bound if it has ended
  /// meanwhile.
  template <bus::CompletionFor<void> Token>
  auto publish(entity::Entity& entity, std::string name, Token&& token) {
    return bus::initiate<void>(token, [this, &entity, n = std::move(name)](Done done) mutable {
      start_publish(entity, std::move(n), std::move(done));
    });
  }
  template <bus::CompletionFor<void> Token>
  auto publish(entity::Entity& entity, Token&& token) {
    return publish(entity, channel_of(entity.online_id()), std::forward<Token>(token));
  }
  static std::string channel_of(entity::OnlineId id);

  /// Moves an entity that has one name to the EntityHost of another process, "HOST.NODE": messages
  /// to it, its steps and the answers that it waits for go with it. Completes when it lives there,
  /// and has ended here as EndReason::moved; or it goes on here: the errors of Endpoint::move;
  /// not_bound, busy, closed (the node drains), move_refused (by a hook, or by the target: the text
  /// says why).
  template <bus::CompletionFor<void> Token>
  auto move(entity::Entity& entity, std::string target, Token&& token) {
    return bus::initiate<void>(token, [this, &entity, t = std::move(target)](Done done) mutable {
      begin_move(entity, std::move(t), std::move(done));
    });
  }

  /// Tells the sink all that an audience sees of an entity, within this call, and then what
  /// changes, tick by tick: for one who begins to watch, or has lost something. Errors:
  /// wrong_audience (no sink, or no properties), too_large.
  entity::DataResult<> watch(entity::Entity& entity, entity::Audience audience) {
    return sync_.show(entity, audience);
  }
  /// Tells what has changed, and saves what is due; on its own every HostOptions::tick. Takes as
  /// many turns of the loop as it needs.
  void tick();
  /// Saves one now, if it has changed. Completes when it is kept; not_bound: it is never saved.
  void save_now(entity::Entity& entity, Done done);

  /// Ties it to the states of a node, within App::start: it is ready when ids are at hand, its
  /// drain ends and saves all entities, and a lost lease ends those that were published.
  bus::Result<> join(Node& node);

  // --- what join() ties; for those who have no node ---
  /// `done` when all have ended and are saved. Nothing can be made afterwards.
  void drain(Done done);
  /// The names are lost: those who had one end as fenced.
  void lose_all();

  /// For people: "2 entities to end, 1 to be saved: player alice"; empty if nobody is waited for.
  std::string waits_for() const;
  const HostCounters& counters() const { return counters_; }
  const SyncCounters& told() const { return sync_.counters(); }
  /// Entities whose present state is kept nowhere.
  std::size_t unsaved() const { return unsaved_.size() + saves_.size(); }

 private:
  struct Published {
    std::size_t names = 0;          // that it has, or has asked for
    bool fenced = false;            // they are lost
    std::uint64_t epoch = 0;        // of the latest of these
    std::vector<std::string> kept;  // it ends: given up when it is saved
  };
  struct Leaving {
    std::string name;
    std::string target;
    Done done;
    entity::MovedForm form = entity::MovedForm::snapshot;
    entity::EntityError failure{};  // of packing it
    bool packed = false;            // the target may have it
  };
  struct DeclaredType {
    TypeOptions options;
    bool seen = false;  // one has lived
  };
  void check_searchable(entity::Entity& entity);
  // EntityObserver
  void unsettled() override { settle_soon(); }
  void activated(entity::Entity& entity) override;
  void ending(entity::Entity& entity, entity::EndReason reason) override;
  void finished(entity::Entity& entity, entity::EndReason reason) override;
  void step_began(const entity::Entity& entity, std::string_view step) override;
  void step_ended() override { endpoint_.activity()->hide(); }
  void failed(const entity::HookFailure& failure) override;
  void converted(entity::Entity& entity, const entity::LoadReport& report) override;
  void describe(const entity::Entity& entity, nlohmann::ordered_json& shown) const override;

  void bound(entity::OnlineId id, const bus::Result<bus::Bound>& bound);
  void owned(entity::Entity& entity, bus::Epoch epoch);
  void start_publish(entity::Entity& entity, std::string name, Done done);
  void begin_move(entity::Entity& entity, std::string target, Done done);
  void start_move(std::uint64_t id);
  bus::Bytes pack(std::uint64_t id);
  void left(std::uint64_t id, const bus::Result<>& moved);

  void take_in(const std::string& prefix);
  bus::Result<> accept(const std::string& name, bus::ByteView state);
  void abandon(const std::string& name);
  bus::Handlers arrived(const bus::Arrival& arrival);
  using Enliven = std::function<entity::EntityResult<entity::Entity*>()>;
  entity::EntityResult<entity::Entity*> enliven(const Enliven& activate);
  void settled_in(entity::Entity& entity, bus::Epoch epoch);
  void strand(const std::string& name, Stranded& stranded, const entity::EntityError& why);
  void try_again(std::string name);
  void give_up(std::string name);

  void settle_soon();
  void settle();
  void wait_for_ids(Done done);
  bus::Result<> tick_with(Ticker& ticker);
  std::function<void(entity::Entity&)> unsaved_marker();
  void go_on_telling();
  void save_due();
  bool is_saved(entity::Entity& entity) const;
  void save(entity::Entity& entity, std::vector<std::string> names, Done done);
  void release(const std::vector<std::string>& names);
  void no_arrivals();
  void begin_end();
  void end_of_drain();
  void report_waiting();
  void add_admin(Node& node);
  entity::Entity* find_for_people(const std::string& name) const;
  bus::daemon::Response show_one(const std::string& name) const;
  bus::daemon::Response show_page(const bus::daemon::Request& request) const;
  bus::daemon::Response show_busiest(const bus::daemon::Request& request) const;
  bus::daemon::Response show_all() const;

  entity::rpc::Endpoint& endpoint_;
  entity::TimerWheel& timers_;
  const HostOptions options_;
  entity::EntityFactory types_;
  std::unordered_map<const entity::TypeInfo*, DeclaredType> declared_;
  manager::IdSource ids_;
  std::unordered_map<std::uint64_t, Published> published_;     // by online id
  std::unordered_map<std::uint64_t, Leaving> leaving_;         // by online id
  std::map<std::string, Arriving> arriving_;                   // accepted, and not owned yet
  std::map<std::string, std::shared_ptr<Stranded>> stranded_;  // owned, and not alive yet
  EntitySync sync_;
  EntitySaves saves_;
  UnsavedList unsaved_;
  std::uint64_t save_number_;  // of the latest
  bool activating_arrival_ = false;
  bool telling_ = false;  // a tick goes on in a later turn
  bool scheduled_ = false;
  bool full_ = false;        // what is to end waits for saves
  Done drained_;             // set while it drains
  bool ending_all_ = false;  // nothing leaves or arrives any more
  HostCounters counters_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner alarms_;
  entity::TimerId tick_timer_;  // while there is no ticker
  Ticker* ticker_ = nullptr;    // of the node
  entity::TickId ticking_;
  std::unique_ptr<entity::EntityManager> entities_;  // ends first
};

}  // namespace starbus::nodes::entities
