/// Runs a coroutine of an object for a caller that waits with a callback: the start and the stop of
/// a service, a step of a node, a save.
///
///   void start(nodes::Done done) override { rpc::spawn(endpoint_, *this, load(), std::move(done));
///   } rpc::Task<bus::Result<>> load() {
///     const auto found = co_await db::find(database_, "ranks", "1");
///     ...
///
/// Belongs to the loop's thread.
#pragma once

#include <boost/asio/post.hpp>
#include <functional>
#include <optional>
#include <utility>

#include "base/unit_guard.hpp"
#include "entity/rpc/rpc.hpp"

namespace starbus::entity::rpc {

namespace detail {

template <class R>
class SpawnedResult final : public Running {
 public:
  SpawnedResult(EndpointCore& at, CallableBase& object, Task<R> task, std::function<void(R)> done)
      : Running(at, object, nullptr),
        class_(object.rpc_class()),
        task_(std::move(task)),
        done_(as_unit(UnitKind::completion, std::move(done))) {}
  ~SpawnedResult() override {
    task_.reset();
    if (done_) end(Error(Errc::destroyed, "the object of the coroutine has ended"));
  }
  void start() {
    link();
    task_->handle().promise().running = this;
    resume(task_->handle());
  }

 private:
  bool done() const override { return task_->handle().done(); }
  void finish() override {
    auto& promise = task_->handle().promise();
    if (promise.thrown) {
      const Error failed = core().meter.threw(class_, promise.thrown);
      core().counters.count(failed.code);
      return end(failed);
    }
    end(promise.take());
  }
  /// Its caller hears `destroyed`. The endpoint may have ended, too.
  void finish_alone() override {
    const auto& thrown = task_->handle().promise().thrown;
    if (!thrown) return;
    UnitGuard::report(UnitKind::coroutine, CurrentWork::coroutine(class_).name(), what_of(thrown));
  }
  void end(R result) { std::exchange(done_, nullptr)(std::move(result)); }

  const ClassInfo& class_;
  std::optional<Task<R>> task_;
  std::function<void(R)> done_;
};

}  // namespace detail

/// Runs the coroutine and calls `done` once: with what it returned; `failed` if it threw,
/// `destroyed` if its object ended first; would_block in a later turn of the loop, and nothing was
/// run: kMaxRunning, kMaxRunningPerHost.
template <class R, class Done>
requires std::is_constructible_v<std::function<void(R)>, Done>
void spawn(Endpoint& endpoint, CallableBase& object, Task<R> task, Done done) {
  detail::EndpointCore& core = endpoint.core();
  std::function<void(R)> told(std::move(done));
  if (!core.running.admits(object)) {
    return boost::asio::post(core.loop, [told = std::move(told)] {
      told(R(Error(Errc::would_block, "too many coroutines")));
    });
  }
  const boost::intrusive_ptr<detail::SpawnedResult<R>> spawned(
      new detail::SpawnedResult<R>(core, object, std::move(task), std::move(told)));
  spawned->start();
}

}  // namespace starbus::entity::rpc
