/// The entities of a node: an EntityManager, driven by the node's loop, and what surrounds it:
/// channels, ids from the cluster's manager, saving, the lease, the drain.
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
/// within a hook. Failures are values; those of hooks are logged. docs/entity-hosts.md.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "entity/objects/entity_manager.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/entities/limits.hpp"
#include "nodes/manager/id_source.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::entities {

/// What is kept of an entity that ends: its properties, as View::save.
struct SavedEntity {
  std::string type;
  std::string persistent_id;
  bus::Bytes properties;
};

struct HostOptions {
  std::size_t most = entity::kMaxEntities;
  /// The manager's counter that online ids come from.
  std::string counter = "entities";
  /// Online ids from elsewhere: tests, and clusters without a manager.
  entity::EntityManager::DrawId draw = {};
  /// Entities whose channels begin so may move here.
  std::vector<std::string> take_in = {"entity/"};
  /// Called for each entity that ends and has properties with `save`, unless it was moved or
  /// fenced. Calls what it is given once, at once or later. Empty: nothing is saved.
  std::function<void(SavedEntity, Done)> save = {};
};

struct HostCounters {
  std::uint64_t saved = 0;
  std::uint64_t unsaved = 0;  // a save that failed, or took too long
  std::uint64_t fenced = 0;   // entities that ended with the lease
  std::uint64_t moved_out = 0;
  std::uint64_t moved_in = 0;
  std::uint64_t moves_failed = 0;      // they went on here
  std::uint64_t arrivals_refused = 0;  // they went on where they were
  std::uint64_t arrivals_lost = 0;     // refused by on_activate, when they were owned here
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
  void declare() {
    static_cast<void>(entity::declare_entity<T>(types_));
  }
  entity::EntityManager& entities() { return *entities_; }
  const entity::EntityManager& entities() const { return *entities_; }

  /// Binds "entity/ID" with the online id in base 16, or a name of its own: from then on any
  /// process may call it. Its end gives the name up at once. Errors: those of Endpoint::bind;
  /// not_bound if it has ended meanwhile.
  void publish(entity::Entity& entity, Done done) {
    publish(entity, channel_of(entity.online_id()), std::move(done));
  }
  void publish(entity::Entity& entity, std::string name, Done done);
  static std::string channel_of(entity::OnlineId id);

  /// Moves an entity that has one name to the EntityHost of another process, "HOST.NODE": messages
  /// to it, its steps and the answers that it waits for go with it. Completes when it lives there,
  /// and has ended here as EndReason::moved; or it goes on here: the errors of Endpoint::move;
  /// not_bound, busy, closed (the node drains), move_refused (by a hook, or by the target: the text
  /// says why).
  void move(entity::Entity& entity, std::string target, Done done);

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

 private:
  struct Published {
    std::size_t names = 0;  // that it has, or has asked for
    bool fenced = false;    // they are lost
  };
  struct Leaving {
    std::string name;
    std::string target;
    Done done;
    entity::MovedForm form = entity::MovedForm::snapshot;
    entity::EntityError failure{};  // of packing it
    bool packed = false;            // the target may have it
  };
  struct Arriving {
    entity::OnlineId id;
    entity::TimerId deadline;
  };
  struct Save {
    std::string label;
    entity::TimerId deadline;
  };

  // EntityObserver
  void unsettled() override { settle_soon(); }
  void finished(entity::Entity& entity, entity::EndReason reason) override;
  void failed(const entity::HookFailure& failure) override;
  void converted(entity::Entity& entity, const entity::LoadReport& report) override;

  void refused(entity::OnlineId id);
  void start_move(std::uint64_t id);
  bus::Bytes pack(std::uint64_t id);
  void left(std::uint64_t id, const bus::Result<>& moved);
  void take_in(const std::string& prefix);
  bus::Result<> accept(const std::string& name, bus::ByteView state);
  void abandon(const std::string& name);
  bus::Handlers arrived(const bus::Arrival& arrival);

  void settle_soon();
  void settle();
  void wait_for_ids(Done done);
  void save(entity::Entity& entity);
  void saved(std::uint64_t number, const bus::Result<>& result);
  void begin_end();
  void end_of_drain();
  void report_waiting();
  void add_admin(Node& node);

  entity::rpc::Endpoint& endpoint_;
  entity::TimerWheel& timers_;
  const HostOptions options_;
  entity::EntityFactory types_;
  manager::IdSource ids_;
  std::unordered_map<std::uint64_t, Published> published_;  // by online id
  std::unordered_map<std::uint64_t, Leaving> leaving_;      // by online id
  std::map<std::string, Arriving> arriving_;                // accepted, and not owned yet
  std::map<std::uint64_t, Save> saves_;
  std::uint64_t saves_begun_ = 0;
  bool scheduled_ = false;
  Done drained_;  // set while it drains
  HostCounters counters_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner alarms_;
  std::unique_ptr<entity::EntityManager> entities_;  // ends first
};

}  // namespace starbus::nodes::entities
