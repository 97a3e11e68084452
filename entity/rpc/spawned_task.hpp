#pragma once

#include <optional>
#include <utility>

#include "base/unit_guard.hpp"
#include "entity/rpc/running.hpp"
#include "entity/rpc/task.hpp"

namespace starbus::entity::rpc::detail {

/// The root of a coroutine that no method began: it runs it, and reports what it throws. Whoever
/// derives from it says what its result is for. As Running: the loop's thread.
template <class R>
class SpawnedTask : public Running {
 public:
  SpawnedTask(EndpointCore& at, CallableBase& object, Task<R> task)
      : Running(at, object, nullptr), class_(object.rpc_class()), task_(std::move(task)) {}
  void start() {
    link();
    promise().running = this;
    resume(task_->handle());
  }

 protected:
  auto& promise() { return task_->handle().promise(); }
  /// What it threw, logged and counted for its class; none if it has returned.
  std::optional<Error> failure() {
    if (!promise().thrown) return std::nullopt;
    const Error failed = core().meter.threw(class_, promise().thrown);
    core().counters.count(failed.code);
    return failed;
  }
  /// Destroys its frames.
  void drop_task() { task_.reset(); }

 private:
  bool done() const override { return task_->handle().done(); }
  /// The endpoint may have ended, too: reported, and not counted for the class.
  void finish_alone() override {
    if (!promise().thrown) return;
    UnitGuard::report(UnitKind::coroutine, CurrentWork::coroutine(class_).name(),
                      what_of(promise().thrown));
  }

  const ClassInfo& class_;
  std::optional<Task<R>> task_;
};

}  // namespace starbus::entity::rpc::detail
