/// The spaces of a node: creates them when the service of spaces orders them, ticks them, lets
/// entities in with their tickets, ends them, and tells the service. Read space.hpp first, then
/// docs/guide/spaces.md.
///
///   class Towns final : public nodes::App {
///     bus::Result<> start(nodes::Node& node) override {
///       entities_.emplace(node.rpc(), node.timers(), node.name(), entities::HostOptions{});
///       entities_->declare<Player>();
///       spaces_.emplace(node.rpc(), node.timers(), entities_->entities(),
///                       space::SpaceHostOptions{});
///       spaces_->declare<Town>("town");
///       if (auto joined = entities_->join(node); !joined) return joined;
///       return spaces_->join(node);          // after that: its drain comes first
///     }
///     std::optional<entities::EntityHost> entities_;
///     std::optional<space::SpaceHost> spaces_;      // ends first
///   };
///
/// space_app.hpp is such an App, ready made. Belongs to the loop's thread; owns the spaces, and
/// ends before the entities, the endpoint and the wheel, never within a hook. Failures are values;
/// those of hooks are logged and counted.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "entity/objects/entity_manager.hpp"
#include "entity/rpc/endpoint.hpp"
#include "nodes/manager/id_source.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/space/host/hosted_spaces.hpp"
#include "nodes/space/node/limits.hpp"
#include "nodes/space/node/running_space.hpp"
#include "nodes/space/node/tick_driver.hpp"
#include "nodes/space/ports.hpp"

namespace starbus::nodes::space {

/// How a host runs spaces. The defaults are for a node.
struct SpaceHostOptions {
  std::vector<std::string> labels = {};  // that types may ask for: at most kMaxSpaceLabels
  std::chrono::milliseconds start_limit{kSpaceStart};
  std::chrono::milliseconds end_limit{kSpaceEnd};
  std::chrono::milliseconds drain_warning{kDrainWarning};
  /// The load for announcements, in ms per second; join() takes the node's. Not set: 0.
  std::function<double()> busy = {};
  /// Ids of spaces. Not set: from the manager, counter "entities", as those of entities.
  entity::EntityManager::DrawId draw = {};
};

/// Since the host was made.
struct SpaceHostCounters {
  std::uint64_t started = 0;
  std::uint64_t failed = 0;       // could not start
  std::uint64_t ended = 0;        // in order
  std::uint64_t ended_badly = 0;  // of these: on_end failed, or took too long
  std::uint64_t lost = 0;         // with the lease
  std::uint64_t stale_orders = 0;
  std::uint64_t bad_orders = 0;  // that no service sends, and that have no answer
  std::uint64_t arrived = 0;     // players
  std::uint64_t refused = 0;     // players, by their tickets or by a hook
};

template <class T>
concept SpaceClassOf = std::derived_from<T, GameSpace>;

class SpaceHost final : private SpaceHome {
 public:
  /// Entities reach it as world().get<SpaceHost>().
  SpaceHost(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers,
            entity::EntityManager& entities, SpaceHostOptions options);
  ~SpaceHost();
  SpaceHost(const SpaceHost&) = delete;
  SpaceHost& operator=(const SpaceHost&) = delete;

  /// Spaces of this type are objects of T, made as T(SpaceInit), or by `make`, which may return
  /// null if it cannot. T may have methods (rpc::Callable): its channel is the space's. Before
  /// join(); what is wrong shows there.
  template <SpaceClassOf T>
  void declare(std::string type) requires std::constructible_from<T, SpaceInit> {
    declare<T>(std::move(type),
               [](SpaceInit init) { return std::make_unique<T>(std::move(init)); });
  }
  template <SpaceClassOf T, class Make>
  requires std::is_invocable_r_v<std::unique_ptr<T>, Make&, SpaceInit> void declare(
      std::string type, Make make) {
    add_class(std::move(type), [make = std::move(make)](SpaceInit init) mutable {
      std::unique_ptr<T> object = make(std::move(init));
      SpaceClass::Made made;
      if constexpr (std::derived_from<T, entity::rpc::CallableBase>) made.callable = object.get();
      made.space = std::move(object);
      return made;
    });
  }

  /// Each space that begins from now on gets such a part.
  void add_part(MakeSpacePart make) { around_.parts.push_back(std::move(make)); }

  /// Ties it to a node, within App::start: it takes orders before the node is ready and until its
  /// last space has ended in the drain; a lost lease ends all spaces. bad_config: a type of another
  /// form, or twice; a label of another form, or too many.
  bus::Result<> join(Node& node);

  // --- a player arrives ---

  /// Takes the seat that is held for the ticket, and lets the entity into its space, in one step:
  /// if it cannot enter, the seat is free again. The ticket is used up in any case, except for
  /// not_alive and in_space, which are found before. Errors: unknown_ticket, those of
  /// GameSpace::enter.
  Result<> arrive(entity::Entity& entity, const Ticket& ticket, const aoi::Position& at) {
    return arrive_at(entity, ticket, at);
  }
  /// At the entrance of the space.
  Result<> arrive(entity::Entity& entity, const Ticket& ticket) {
    return arrive_at(entity, ticket, std::nullopt);
  }
  /// The same for one that may be in another space of this node, which it leaves in that step. If
  /// it is refused it is back where it was, at the position and with the seat that it had there;
  /// its hooks have run for leaving and for entering. It is in no space if that is refused, too.
  /// No position: at the entrance.
  Result<> change(entity::Entity& entity, const Ticket& ticket,
                  const std::optional<aoi::Position>& at);
  /// A player is on its way here with this ticket: see HostedSpaces::claim. unknown_ticket, ends.
  Result<> claim(const Ticket& ticket);
  /// Takes an entity out of its space, and frees its seat, as GameSpace::leave. An entity that ends
  /// or moves away does so by itself.
  bool leave(entity::Entity& entity);
  /// Nobody comes in any more but those who have claimed a seat, and no space begins here: the node
  /// is about to drain. The service is told at once.
  void refuse_newcomers();
  /// Players who have claimed seats, and are on their way.
  std::size_t expected() const { return hosted_ ? hosted_->claimed() : 0; }
  /// Called of each player that was left in a space that has ended, and is in no space now.
  using LeftOver =
      std::function<void(entity::Entity& entity, const SpaceName& from, const SpaceType& type)>;
  void on_left_over(LeftOver callback) { left_over_ = std::move(callback); }
  void left_over(entity::Entity& entity, const SpaceName& from, const SpaceType& type) override;

  /// Null: none of this name, or id, runs here, or it has not been made yet.
  GameSpace* find(const SpaceName& name);
  GameSpace* find(entity::OnlineId id);
  std::size_t size() const { return running_.size(); }
  /// visit(GameSpace&) for each that has been made.
  template <class Visit>
  void for_each(Visit visit) {
    for (const auto& [life, space] : running_) {
      if (space->space() != nullptr) visit(*space->space());
    }
  }
  /// What /spaces shows besides, under this name; before join().
  void show_also(std::string name, std::function<nlohmann::json()> what);
  const SpaceHostCounters& counters() const { return counters_; }

  // --- what join() ties; for those who have no node ---

  /// Binds the names under which the service finds it, and takes orders. bad_config; those of
  /// Endpoint::bind.
  void open(Done done);
  /// Takes no more spaces and ends those there are, in order; then gives the names up and calls
  /// `done`.
  void drain(Done done);
  /// The lease is lost, and all names: spaces end at once, without on_end; begin with open() again.
  void lose_all();

 private:
  struct Totals {
    std::uint64_t ticks = 0;
    std::uint64_t missed = 0;
    sight::SightCounters sight;  // of spaces that have gone
  };
  using Running = std::map<Life, std::unique_ptr<RunningSpace>>;

  Result<> arrive_at(entity::Entity& entity, const Ticket& ticket,
                     const std::optional<aoi::Position>& at);
  // SpaceHome
  entity::EntityManager& entities() override { return entities_; }
  Result<> end_after(const Life& life, std::chrono::milliseconds after) override;
  void player_left(const Life& life) override;

  void add_class(std::string type, std::function<SpaceClass::Made(SpaceInit)> make);
  bus::Result<> check_config() const;
  void begin_anew();
  void join_group(Done done);
  Result<> obey(const Order& order);
  void pump_soon();
  void pump();
  void perform(HostedSpaces::Work work);
  void start(HostedSpaces::Start order);
  void tell(const Reply& reply);
  void announce();
  void draw_id(std::function<void(Result<entity::OnlineId>)> drawn);
  void started(const Life& life);
  void stopped(const Life& life);
  void gone(const Life& life, const Result<>& why);
  void end_of_drain();
  void tick(const TickLine::Due& due);
  void ticked(const TickLine::Due& due, entity::Time now, entity::Time took);
  /// It goes: what it has counted stays.
  void keep_counts(RunningSpace& space);
  RunningSpace* find_running(const Life& life) const;
  // The view of operators: space_host_admin.cpp.
  void add_admin(Node& node);
  daemon::Response members_page(const daemon::Request& request);
  void add_metrics(Node& node);
  void add_sight_metrics(Node& node);

  entity::rpc::Endpoint& endpoint_;
  entity::TimerWheel& timers_;
  entity::EntityManager& entities_;
  SpaceHostOptions options_;
  manager::IdSource ids_;
  std::map<std::string, SpaceClass> classes_;
  std::string mistake_;  // of a declaration
  SpaceSurroundings around_;
  OrdersPort orders_;
  std::optional<HostedSpaces> hosted_;
  Running running_;
  std::map<TickLine::Id, Life> ticking_;
  std::uint64_t ticks_made_ = 0;  // ids of ticking_
  std::map<std::string, Totals> totals_;
  bool open_ = false;
  bool pumping_ = false;  // pump() is posted
  bool draining_ = false;
  std::string orders_name_;  // as bound; empty: not bound
  std::string group_name_;
  Done drained_;  // set while it drains
  SpaceHostCounters counters_;
  LeftOver left_over_;
  std::vector<std::pair<std::string, std::function<nlohmann::json()>>> shown_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::shared_ptr<bool> lease_ = std::make_shared<bool>(true);  // another one after its loss
  TickDriver ticks_;
  entity::TimerOwner alarms_;
};

}  // namespace starbus::nodes::space
