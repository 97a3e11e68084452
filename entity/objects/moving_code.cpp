#include "entity/objects/moving_code.hpp"

#include "entity/objects/entity_manager.hpp"

namespace starbus::entity {

MovingCode::MovingCode(EntityManager& home, Entity& entity, TimerWheel& wheel)
    : entity_(entity),
      timers_(wheel,
              [&home, &entity](const NamedFiring& firing) {
                home.run_step(entity, firing.name, firing.args, nullptr);
              }),
      flows_(wheel, 0, [&home, &entity](const FlowResume& resume) {
        const StepAnswer answer{resume.outcome != FlowOutcome::timeout, resume.result};
        home.run_step(entity, resume.name, resume.args, &answer);
      }) {}

void MovingCode::park(Time cluster_now) {
  Parked parked;
  timers_.export_all(cluster_now, parked.timers);
  flows_.export_all(cluster_now, parked.flows);
  end();
  parked_ = std::move(parked);
}

EntityResult<> MovingCode::park(ByteView timers, ByteView flows, Time cluster_now) {
  parked_ = Parked{Bytes(timers.begin(), timers.end()), Bytes(flows.begin(), flows.end())};
  EntityResult<> taken = import_parked(cluster_now);
  timers_.for_each([&](std::string_view name, ByteView arguments) {
    if (taken) taken = known(name, arguments, false);
  });
  flows_.for_each([&](std::string_view name, ByteView arguments) {
    if (taken) taken = known(name, arguments, true);
  });
  timers_.reset();
  flows_.reset();
  return taken;
}

/// Whether the step could run here; otherwise it would fail only when it is due.
EntityResult<> MovingCode::known(std::string_view name, ByteView arguments, bool answered) const {
  const Step* step = entity_.find_step(name);
  const bool same = step != nullptr && step->answered == answered &&
                    arguments.size() >= kStepHead &&
                    bus::load<std::uint64_t>(arguments.data()) == step->signature() &&
                    step->run(nullptr, arguments.subspan(kStepHead), {}) == DataErrc::ok;
  if (same) return {};
  return EntityError(EntityErrc::unknown_step, entity_.label() + ' ' + std::string(name));
}

bool MovingCode::take_answer(const rpc::AnswerId& question, ByteView answer) {
  return flows_.resume({question.epoch, question.number}, FlowOutcome::reply, answer);
}

EntityResult<> MovingCode::import_parked(Time cluster_now) {
  if (const auto taken = timers_.import_all(parked_->timers, cluster_now); !taken) {
    const bool full = taken.error() == TimerErrc::too_many_timers;
    return EntityError(full ? EntityErrc::no_timers : EntityErrc::bad_state, entity_.label());
  }
  if (const auto taken = flows_.import_all(parked_->flows, cluster_now); !taken) {
    const bool full = taken.error() == FlowErrc::too_many_flows;
    return EntityError(full ? EntityErrc::no_timers : EntityErrc::bad_state, entity_.label());
  }
  return {};
}

EntityResult<> MovingCode::resume(Time cluster_now) {
  if (!parked_) return {};
  EntityResult<> resumed = import_parked(cluster_now);
  parked_.reset();
  if (!resumed) end();
  return resumed;
}

void MovingCode::end() {
  timers_.reset();
  flows_.reset();
  parked_.reset();
}

}  // namespace starbus::entity
