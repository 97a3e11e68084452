/// One space at its node, from the order to create it until it has gone: its id, the object, its
/// name and on_start in this order, then ticks; on_end, its members, its name in the reverse.
///
/// Belongs to the loop's thread, and to the SpaceHost, which outlives it; owns the space. What the
/// space reports is handled in a later turn of the loop, so it is never destroyed within one of its
/// hooks. Failures end it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "entity/rpc/endpoint.hpp"
#include "nodes/space/host/hosted_spaces.hpp"
#include "nodes/space/node/space.hpp"
#include "nodes/space/node/tick_figures.hpp"

namespace starbus::nodes::space {

/// A class of spaces, as the program has declared it.
struct SpaceClass {
  struct Made {
    std::unique_ptr<GameSpace> space;
    entity::rpc::CallableBase* callable = nullptr;  // the same, if it has methods

    /// Ends the object, its coroutines first: the destructors of their variables may use it.
    void end();
  };
  std::function<Made(SpaceInit)> make;
};

/// What running spaces share; the host's.
struct SpaceSurroundings {
  entity::rpc::Endpoint& endpoint;
  entity::TimerWheel& timers;
  SpaceHome& home;
  std::vector<MakeSpacePart> parts = {};  // of each space
  std::chrono::milliseconds start_limit{};
  std::chrono::milliseconds end_limit{};
  /// Calls back once, at once or later.
  std::function<void(std::function<void(Result<entity::OnlineId>)>)> draw_id;
  /// It runs from now on; it ticks no more; it has gone, and this may destroy it. `why`: it could
  /// not start. Each from a turn of the loop of its own.
  std::function<void(const Life&)> started;
  std::function<void(const Life&)> stopped;
  std::function<void(const Life&, const Result<>& why)> gone;
};

class RunningSpace {
 public:
  enum class State : std::uint8_t { claiming, starting, running, ending };

  RunningSpace(const SpaceSurroundings& around, HostedSpaces::Start order, const SpaceClass& made);
  RunningSpace(const RunningSpace&) = delete;
  RunningSpace& operator=(const RunningSpace&) = delete;
  /// Without on_end, and without hooks of the space; members stay where they are.
  ~RunningSpace();

  /// Once, first.
  void begin();
  void warn(std::chrono::milliseconds after);
  /// Ends it in order, whatever it does; `gone` follows. Idempotent.
  void end();
  /// Its name is lost: members leave, entities that are no players end, no other hook runs. To be
  /// destroyed then.
  void lose();

  State state() const { return state_; }
  const SpaceName& name() const { return order_.order.name; }
  const SpaceType& type() const { return order_.order.type; }
  /// Null before it is made.
  GameSpace* space() const { return made_.space.get(); }
  /// on_end failed, or took too long.
  bool ended_badly() const { return ended_badly_; }
  TickFigures& figures() { return figures_; }

  /// A player enters; it has its seat. As GameSpace::enter.
  Result<> take_in(entity::Entity& entity, const std::optional<aoi::Position>& at);
  void run_tick(const SpaceTick& tick) { made_.space->run_tick(tick); }

 private:
  using Then = void (RunningSpace::*)(const Result<>&);
  void make(const Result<entity::OnlineId>& id);
  void bind();
  void unbind(Done done);
  void bound(const bus::Result<bus::Bound>& bound);
  void start_space();
  void started(const Result<>& result);
  void fail(Error why);
  void ended(const Result<>& result);
  void clear();
  void give_name_back();
  void limit(std::chrono::milliseconds time, std::string_view what, Then then);
  Done done_of(Then then);
  void next_turn() { turn_ = std::make_shared<bool>(true); }

  const SpaceSurroundings& around_;
  const HostedSpaces::Start order_;
  const SpaceClass& class_;
  State state_ = State::claiming;
  SpaceClass::Made made_;
  bool name_asked_ = false;  // or held
  bool ended_badly_ = false;
  Result<> why_;  // it could not start
  TickFigures figures_;
  // A callback of a stage that is over finds another token.
  std::shared_ptr<bool> turn_ = std::make_shared<bool>(true);
  entity::TimerOwner alarm_;
};

/// "starting", "running", ...
std::string_view name_of(RunningSpace::State state);

}  // namespace starbus::nodes::space
