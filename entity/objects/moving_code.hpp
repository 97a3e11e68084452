/// The code of one entity that travels with it: named timers, and flows, which wait for answers.
/// While the entity is frozen, or not there yet, it is parked as bytes, and nothing fires.
///
/// Made when its entity first needs it, or brings some along; belongs to it and to the loop's
/// thread; the wheel outlives it. A timer or flow that fires is handed to the manager, as the name
/// of a step. Failures are values.
#pragma once

#include <optional>

#include "entity/flows/flows.hpp"
#include "entity/objects/limits.hpp"
#include "entity/objects/step.hpp"
#include "entity/rpc/callable.hpp"
#include "entity/timers/named_timers.hpp"

namespace starbus::entity {

class EntityManager;

/// When a step is to run, and on which clock while the entity travels.
struct StepTime {
  Time first{};
  Time interval{};  // 0: once
  Travel travel = Travel::running;
  CatchUp catch_up = CatchUp::all;
};

class MovingCode final : private rpc::AnswerSink {
 public:
  MovingCode(EntityManager& home, Entity& entity, TimerWheel& wheel);
  MovingCode(const MovingCode&) = delete;
  MovingCode& operator=(const MovingCode&) = delete;

  NamedTimers& timers() { return timers_; }
  const NamedTimers& timers() const { return timers_; }
  Flows& flows() { return flows_; }
  const Flows& flows() const { return flows_; }

  /// For its entity, which the answers to its channel come to.
  rpc::AnswerSink* answers() { return this; }

  /// Packs all timers and flows as bytes: exports of the two.
  void park(Time cluster_now);
  /// Takes the state that travelled. bad_state, unknown_step, no_timers (the wheel is full): then
  /// it takes nothing that would not run here.
  EntityResult<> park(ByteView timers, ByteView flows, Time cluster_now);
  bool parked() const { return parked_.has_value(); }
  ByteView parked_timers() const { return parked_->timers; }
  ByteView parked_flows() const { return parked_->flows; }
  /// It goes on. Error: no_timers; its timers and flows are lost then.
  EntityResult<> resume(Time cluster_now);
  /// Nothing fires any more.
  void end();

 private:
  struct Parked {
    Bytes timers;
    Bytes flows;
  };
  bool take_answer(const rpc::AnswerId& question, ByteView answer) override;
  EntityResult<> import_parked(Time cluster_now);
  EntityResult<> known(std::string_view name, ByteView arguments, bool answered) const;

  Entity& entity_;
  NamedTimers timers_;
  Flows flows_;
  std::optional<Parked> parked_;
};

/// The bytes before the arguments of each: the signature of the step.
inline constexpr std::size_t kStepHead = sizeof(std::uint64_t);

/// The arguments of a step, converted to its parameters, as they travel. Error: too_large.
template <auto S, class... A>
EntityResult<Bytes> encode_step(A&&... arguments) {
  Bytes bytes(kStepHead);
  if constexpr (step_fits<S, A...>()) {
    const typename StepOf<S>::Arguments values(std::forward<A>(arguments)...);
    bus::store(bytes.data(), step_row<S>().signature());
    Encoder out(bytes);
    std::apply([&](const auto&... each) { (put_value(out, each), ...); }, values);
    if (!out.ok() || bytes.size() > kMaxTimerArgs) {
      return EntityError(EntityErrc::too_large, std::string(step_name<S>()));
    }
  }
  return bytes;
}

static_assert(kMaxTimerArgs == kMaxFlowArgs && rpc::kMaxPart <= kMaxTimerName &&
              kMaxTimerName == kMaxFlowName);

}  // namespace starbus::entity
