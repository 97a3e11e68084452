/// Players who go from one space to another, of this node or of another one. Read traveller.hpp
/// first; docs/guide/spaces.md has the promises, and what each race ends with.
///
///   auto& travels = world().get<space::Travels>();
///   space::Wish wish{.place = {"town", ""}};
///   const auto end = co_await travels.travel(player, wish);
///   travels.travel(*this, {.place = {"dungeon", team}, .at = aoi::Position{10, 20}},
///                  [](const space::Result<space::Travelled>& end) { ... });   // of the entity
///                  itself
///
/// A travel asks the service for a seat. The player stays where it is, and acts, until the seat is
/// held. Then it changes its space in one step, or moves to the node of the seat with its ticket:
/// frozen, and still in its space for those who see it, until it lives there. A travel that fails
/// leaves it where it was, and gives the seat back at once.
///
/// Belongs to the loop's thread. Ends before the EntityHost and the SpaceHost, which it refers to.
/// Failures are values; what callbacks and hooks throw ends these alone.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bus/client/initiate.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/space/node/space_host.hpp"
#include "nodes/space/service/space_calls.hpp"
#include "nodes/space/travel/limits.hpp"
#include "nodes/space/travel/traveller.hpp"

namespace starbus::nodes::space {

class Evacuation;

/// Where a player wants to go.
struct Wish {
  PlaceId place;
  std::uint32_t line = 0;                               // the chosen one; 0: any
  std::optional<aoi::Position> at = {};                 // not set: the entrance of the space
  std::chrono::milliseconds patience{kTravelPatience};  // for a seat; at most kLongestPatience
  std::string setup = {};  // for the space, if this travel begins the place
  /// Coroutines and closures of the entity that have not ended in time end with its move, rather
  /// than keep it here: see MoveOptions.
  bool leave_behind = false;
  /// A seat that is held already, one of a team: its Grant, with the ticket of this player alone.
  /// Place, line and setup are not used then.
  std::optional<Grant> seat = {};
};

/// A space that players have to leave, or have been left over from.
struct Leaving {
  const SpaceName& space;
  const SpaceType& type;
  std::optional<aoi::Position> at;  // in it; not set: it has ended
  bool drain = false;               // its node drains; otherwise the space alone has ended
};
/// The places for such a player, the best first; at most kMaxWays are tried, none: it stays.
using WhereTo = std::function<std::vector<Wish>(const entity::Entity& player, const Leaving& from)>;
/// In a drain another line of the same place, at the same position; then the `next` of its type.
std::vector<Wish> default_ways(const entity::Entity& player, const Leaving& from);

/// How a process sends players on. The defaults are for a node.
struct TravelOptions {
  WhereTo where_to = default_ways;
  std::chrono::milliseconds evacuate_time{kEvacuateTime};  // 0: a drain moves no players
  std::chrono::milliseconds evacuate_ask{kEvacuateAsk};
  /// Asked while this process drains. True: all others do, too, and nobody is sent anywhere. Not
  /// set: they do not; join() sets Node::cluster_ends.
  std::function<bool()> cluster_ends = {};
};

/// Since the process began.
struct TravelCounters {
  std::uint64_t here = 0;        // players who have changed to a space of this node
  std::uint64_t away = 0;        // who live on another node now
  std::uint64_t come = 0;        // who have come from another node into a space of this one
  std::uint64_t come_badly = 0;  // who have come, and are in no space
  std::uint64_t failed = 0;      // who have stayed where they were
  std::uint64_t given_back = 0;  // seats that were given back
  std::uint64_t left_over = 0;   // players of spaces that have ended, who were sent on
};

class Travels {
 public:
  /// Entities reach it as world().get<Travels>().
  Travels(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers,
          entities::EntityHost& entities, SpaceHost& spaces, TravelOptions options);
  ~Travels();
  Travels(const Travels&) = delete;
  Travels& operator=(const Travels&) = delete;

  /// Ties it to a node, within App::start, after the join() of the other two: so its drain sends
  /// players away before spaces and entities end.
  bus::Result<> join(Node& node);

  /// Completes in a later turn of the loop: when the entity is in the space; when it lives in the
  /// process of the space, where it has ended here (TravelHooks is told there whether it could
  /// enter); or with an error, and the entity is where it was. A coroutine of the entity itself
  /// must not await it: moves wait for coroutines. With g++ 12 `wish` must be a variable within a
  /// co_await expression. Errors, each without a seat that stays taken:
  /// travelling, no_traveller, would_block, closed (the node drains), not_alive; those of
  /// SpaceCalls::enter; those of SpaceHost::change; not_let_in; traveller_ended; canceled; those of
  /// EntityHost::move.
  template <bus::CompletionFor<Travelled> Token = bus::Awaited>
  auto travel(entity::Entity& entity, const Wish& wish, Token&& token = Token()) {
    const entity::OnlineId id = entity.online_id();  // a token may start it when it is gone
    return bus::initiate<Travelled>(token, [this, id, wish](bus::Done<Travelled> done) mutable {
      begin(id, std::move(wish), false, std::move(done));
    });
  }
  /// Ends its travel as canceled. False: it does not travel, or moves already.
  bool cancel(const entity::Entity& entity);
  bool is_travelling(const entity::Entity& entity) const {
    return rows_.contains(entity.online_id());
  }
  /// Under way.
  std::size_t size() const { return rows_.size(); }
  const TravelCounters& counters() const { return counters_; }

  // --- what join() ties; for programs that have no node ---
  /// Sends the players of all spaces to other nodes, as WhereTo says, then ends what is under way
  /// and has not begun to move, and calls `done`.
  void drain(Done done);
  /// Travels, and the drain, for /spaces.
  nlohmann::json shown() const;

  // --- of Traveller ---
  /// A player is on its way here. unknown_ticket, ends; bad_name.
  Result<> expect(const Journey& journey);
  void entity_ended(const entity::Entity& entity);

 private:
  friend class Evacuation;
  enum class Stage : std::uint8_t { asking, changing, moving };
  struct Row {
    std::uint64_t number = 0;
    Wish wish;
    bool again = false;
    Stage stage = Stage::asking;
    std::uint64_t ask = 0;  // of its request, while it asks
    std::string entity;     // for people
    std::string from;       // the same; empty: no space
    Time began{};
    Time deadline{};
    Grant grant;
    bus::Done<Travelled> done;
  };

  Result<> check(const entity::Entity& entity) const;
  void begin(entity::OnlineId id, Wish wish, bool again, bus::Done<Travelled> done);
  /// It does not begin: the entity, if it is here, and the caller are told.
  void refuse(entity::OnlineId id, Error why, bus::Done<Travelled> done);
  void granted(entity::OnlineId id, std::uint64_t number, Result<Grant> seat);
  void change(entity::OnlineId id);
  void move(entity::Entity& entity);
  void moved(entity::OnlineId id, const bus::Result<>& end);
  void arrived(entity::Entity& entity);
  void left_over(entity::Entity& entity, const SpaceName& from, const SpaceType& type);
  void send_left_over();
  void give_back(const Grant& grant);
  /// The row goes; the entity, if it is here, and the caller are told.
  void finish(entity::OnlineId id, Result<Travelled> end);
  static void tell(entity::Entity& entity, const Result<Travelled>& end);
  void end_asking(const Error& why);
  std::string process() const;
  void add_metrics(Node& node);

  entity::rpc::Endpoint& endpoint_;
  entity::TimerWheel& timers_;
  entities::EntityHost& entities_;
  SpaceHost& spaces_;
  TravelOptions options_;
  SpaceCalls calls_;
  std::map<entity::OnlineId, Row> rows_;
  std::deque<std::pair<entity::OnlineId, Wish>> left_over_;  // who wait for a row
  std::uint64_t numbers_ = 0;
  bool closed_ = false;  // the drain is over: no travel begins
  TravelCounters counters_;
  std::unique_ptr<Evacuation> evacuation_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::space
