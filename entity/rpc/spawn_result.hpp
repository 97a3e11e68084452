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
#include <utility>

#include "base/unit_guard.hpp"
#include "entity/rpc/rpc.hpp"
#include "entity/rpc/spawned_task.hpp"

namespace starbus::entity::rpc {

namespace detail {

template <class R>
class SpawnedResult final : public SpawnedTask<R> {
 public:
  SpawnedResult(EndpointCore& at, CallableBase& object, Task<R> task, std::function<void(R)> done)
      : SpawnedTask<R>(at, object, std::move(task)),
        done_(as_unit(UnitKind::completion, std::move(done))) {}
  ~SpawnedResult() override {
    this->drop_task();
    if (done_) end(Error(Errc::destroyed, "the object of the coroutine has ended"));
  }

 private:
  void finish() override {
    if (auto failed = this->failure()) return end(*failed);
    end(this->promise().take());
  }
  void end(R result) { std::exchange(done_, nullptr)(std::move(result)); }

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
