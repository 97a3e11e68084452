// The work of a node in each of its states.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "nodes/runtime/node_core.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {

using std::chrono::milliseconds;

void NodeCore::announce(Lifecycle::Attempt attempt) {
  const auto announced = [this, attempt, weak = std::weak_ptr(alive_)](const auto& result) {
    if (weak.expired()) return;
    lifecycle_.announced(attempt, result ? bus::Result<>() : bus::Result<>(result.error()));
  };
  bus_.connect([this, announced, weak = std::weak_ptr(alive_)](const bus::Result<>& connected) {
    if (weak.expired()) return;
    if (!connected) return announced(connected);
    endpoint_.bind(presence_name(process()), control_,
                   [announced](const bus::Result<bus::Bound>& bound) { announced(bound); });
  });
}

void NodeCore::prepare(Lifecycle::Attempt attempt) {
  prepare_.run(
      Steps::Order::as_added, Steps::OnError::stop,
      [](const std::string& name, const bus::Error& error) {
        spdlog::error("'{}' failed before readiness: {}", name, error.to_string());
      },
      [this, attempt](bus::Result<> result) { lifecycle_.prepared(attempt, result); });
}

void NodeCore::open(Lifecycle::Attempt attempt) {
  offers_.bind(ready_name(role_, process()),
               [this, attempt](bus::Result<> result) { lifecycle_.opened(attempt, result); });
}

void NodeCore::withdraw() {
  prepare_.give_up();
  offers_.withdraw();
}

void NodeCore::drain() {
  drain_.run(
      Steps::Order::reversed, Steps::OnError::go_on,
      [](const std::string& name, const bus::Error& error) {
        spdlog::error("'{}' failed in the drain: {}", name, error.to_string());
      },
      [this](const bus::Result<>&) { finish_tasks(); });
}

/// The steps may have given tasks to the workers. A task that has run has its completion in the
/// queue of the loop, which may submit another one: so twice in a row there must be none.
void NodeCore::finish_tasks() {
  const auto idle = [this] { return tasks_.counts().unfinished() == 0; };
  const auto wait = [this] {
    const auto later = main_loop_.timers().after(timers_, kTaskPoll, [this] { finish_tasks(); });
    if (!later) lifecycle_.drained();
  };
  if (!idle()) return wait();
  main_loop_.run_later("drain", [this, idle, wait] { idle() ? lifecycle_.drained() : wait(); });
}

/// The steps have waited for all that matters to them: the messages that are left are for peers
/// that do not answer, and these get leave_deadline. But a node without a link cannot hear an
/// answer: for busd it waits as long as the drain may last.
void NodeCore::leave() {
  bus_.flush(settings_.leave_deadline, [this, weak = std::weak_ptr(alive_),
                                        before = link_changes_](const bus::Result<>& flushed) {
    if (weak.expired()) return;
    const bool heard = linked_ && link_changes_ == before;
    if (!flushed && flushed.error() == bus::Errc::deadline && !heard) return leave();
    if (!flushed) spdlog::warn("leaves the bus: {}", flushed.error().to_string());
    const auto rest = flushed ? settings_.leave_deadline : milliseconds(0);
    bus_.close(rest, [this, weak, told = !flushed](const bus::Result<>& last) {
      if (weak.expired()) return;
      if (!last && !told) spdlog::warn("left the bus: {}", last.error().to_string());
      lifecycle_.left();
    });
  });
}

/// From the start, or from the loss of the lease of one that was ready: a lease that is lost on the
/// way gives no further time.
void NodeCore::limit_wait() {
  if (settings_.ready_deadline == milliseconds(0) || ready_limit_) return;
  const auto limit = main_loop_.timers().after(timers_, settings_.ready_deadline, [this] {
    failed(bus::Error(bus::Errc::deadline, "not ready within " +
                                               std::to_string(settings_.ready_deadline.count()) +
                                               " ms: " + status()));
  });
  if (!limit) return failed(bus::Error(bus::Errc::io_error, "no timer"));
  ready_limit_ = *limit;
}

void NodeCore::entered(NodeState state) {
  retries_ = 0;
  if (state == NodeState::starting) limit_wait();
  if (state == NodeState::ready || state == NodeState::draining) {
    main_loop_.timers().cancel(std::exchange(ready_limit_, {}));
  }
  spdlog::info("{} is {}", settings_.node, name_of(state));
  for (const auto& callback : on_state_) {
    guarded(
        UnitKind::state, [&]() -> const std::type_info& { return callback.target_type(); },
        [&] { callback(state); });
  }
  if (state == NodeState::stopped && stopped_) std::exchange(stopped_, nullptr)();
}

void NodeCore::retry_later(Lifecycle::Attempt attempt) {
  // With growing pauses: a node that stands by for another does so for weeks.
  if (std::has_single_bit(++retries_)) {
    spdlog::warn("{}: {}; tries again", settings_.node, status());
  }
  const auto later =
      main_loop_.timers().after(timers_, kRetry, [this, attempt] { lifecycle_.retry(attempt); });
  if (!later) failed(bus::Error(bus::Errc::io_error, "no timer"));
}

void NodeCore::failed(const bus::Error& reason) {
  if (!std::exchange(failed_, true)) context_.stop(reason);
}

void NodeCore::stop(std::function<void()> done) {
  stopped_ = std::move(done);
  stalls_.end_by(context_.drain_deadline + kStuckGrace, daemon::kExitDeadline);
  lifecycle_.stop();
}

void NodeCore::end_with_cluster() {
  cluster_ends_ = true;
  context_.stop({});
}

std::string NodeCore::status() const {
  const NodeState state = lifecycle_.state();
  std::string text(name_of(state));
  text.append(", ").append(lifecycle_.doing());
  const std::string missing = requirements_.missing();
  const std::string step = state == NodeState::draining ? drain_.current() : prepare_.current();
  if (!step.empty()) {
    text.append(": step ").append(step);
  } else if (state == NodeState::draining) {
    const std::size_t tasks = tasks_.counts().unfinished();
    text.append(": ").append(std::to_string(tasks)).append(" tasks");
    for (const bus::Unacknowledged& each : bus_.unacknowledged(3)) {
      text.append(", ").append(std::to_string(each.bytes)).append(" bytes for ");
      text.append(each.channel).append(" not acknowledged");
    }
  } else if (state != NodeState::ready && !missing.empty()) {
    text.append(": ").append(missing);
  }
  if (state == NodeState::ready && !missing.empty()) text.append(", without ").append(missing);
  return text + exceptions();
}

/// ", 12 exceptions, most in chat.say": `bustop cluster` shows it. The method is that with the
/// most.
std::string NodeCore::exceptions() const {
  const std::uint64_t total = thrown_.total();
  if (total == 0) return {};
  std::string text = ", " + std::to_string(total) + (total == 1 ? " exception" : " exceptions");
  const entity::rpc::MethodInfo* worst = nullptr;
  std::uint64_t most = 0;
  for (const entity::rpc::MethodInfo* method : endpoint_.dictionary().methods()) {
    const std::uint64_t threw = endpoint_.work().of(*method).threw;
    if (threw > most) worst = method;
    most = std::max(most, threw);
  }
  return worst == nullptr ? text : text + ", most in " + worst->full_name();
}

}  // namespace starbus::nodes
