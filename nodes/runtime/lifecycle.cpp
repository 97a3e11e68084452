#include "nodes/runtime/lifecycle.hpp"

#include <utility>

namespace starbus::nodes {
namespace {

/// Whether another attempt can help: another process has the name for now (one that died, and whose
/// lease runs), or the bus is late. Watches that are too many for now may end.
bool may_pass(const bus::Error& error) {
  return retry_of(error.code) != Retry::never || error == bus::Errc::too_many_watches;
}

}  // namespace

std::string_view name_of(NodeState state) {
  switch (state) {
    case NodeState::starting:
      return "starting";
    case NodeState::registered:
      return "registered";
    case NodeState::ready:
      return "ready";
    case NodeState::draining:
      return "draining";
    case NodeState::stopped:
      return "stopped";
  }
  return "unknown";
}

std::string_view Lifecycle::doing() const {
  switch (phase_) {
    case Phase::idle:
      return "begins";
    case Phase::announcing:
      return "connects";
    case Phase::waiting:
      return "waits for its requirements";
    case Phase::preparing:
      return "prepares";
    case Phase::opening:
      return "binds its names";
    case Phase::open:
      return "serves";
    case Phase::draining:
      return "drains";
    case Phase::leaving:
      return "leaves the bus";
    case Phase::left:
      return "has left";
  }
  return "";
}

void Lifecycle::enter(Phase phase, NodeState state) {
  phase_ = phase;
  if (std::exchange(state_, state) != state) shell_.entered(state);
}

/// Asks for what the present phase waits for.
void Lifecycle::ask() {
  switch (phase_) {
    case Phase::announcing:
      return shell_.announce(attempt_);
    case Phase::preparing:
      return shell_.prepare(attempt_);
    case Phase::opening:
      return shell_.open(attempt_);
    default:
      return;
  }
}

void Lifecycle::start() {
  if (phase_ != Phase::idle) return;
  ++attempt_;
  enter(Phase::announcing, NodeState::starting);
  ask();
}

void Lifecycle::announced(Attempt attempt, const bus::Result<>& result) {
  if (!present(attempt, Phase::announcing) || refused(result)) return;
  enter(Phase::waiting, NodeState::registered);
  go_on();
}

/// On the way from registered to ready, when the requirements are met.
void Lifecycle::go_on() {
  if (phase_ != Phase::waiting || !met_) return;
  phase_ = prepared_ ? Phase::opening : Phase::preparing;
  ask();
}

void Lifecycle::needs(bool met) {
  met_ = met;
  go_on();
}

void Lifecycle::prepared(Attempt attempt, const bus::Result<>& result) {
  if (!present(attempt, Phase::preparing) || refused(result)) return;
  prepared_ = true;
  phase_ = Phase::waiting;  // what was needed may have gone meanwhile
  go_on();
}

void Lifecycle::opened(Attempt attempt, const bus::Result<>& result) {
  if (!present(attempt, Phase::opening) || refused(result)) return;
  enter(Phase::open, NodeState::ready);
}

/// True if there is nothing to go on with.
bool Lifecycle::refused(const bus::Result<>& result) {
  if (result) return false;
  if (result.error() == bus::Errc::lease_lost) return true;  // lease_lost() begins again
  if (phase_ != Phase::preparing && may_pass(result.error())) {
    shell_.retry_later(attempt_);
  } else {
    shell_.failed(result.error());
  }
  return true;
}

void Lifecycle::retry(Attempt attempt) {
  if (attempt == attempt_) ask();
}

void Lifecycle::lease_lost() {
  if (phase_ == Phase::idle || phase_ >= Phase::draining) return;
  ++attempt_;
  prepared_ = false;
  enter(Phase::announcing, NodeState::starting);
  ask();
}

void Lifecycle::stop() {
  if (phase_ >= Phase::draining) return;
  ++attempt_;
  enter(Phase::draining, NodeState::draining);
  shell_.withdraw();
  shell_.drain();
}

void Lifecycle::drained() {
  if (phase_ != Phase::draining) return;
  phase_ = Phase::leaving;
  shell_.leave();
}

void Lifecycle::left() {
  if (phase_ != Phase::leaving) return;
  enter(Phase::left, NodeState::stopped);
}

}  // namespace starbus::nodes
