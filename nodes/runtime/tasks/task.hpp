/// One task of TaskChannels: the work on a worker, and its completion on the loop.
///
/// Created on the loop. `run` is called on a worker, the others on the loop. Both use the result,
/// which only `complete` reads, so the others may be called while `run` still runs.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "bus/core/error.hpp"
#include "nodes/runtime/load/work_name.hpp"

namespace starbus::nodes {

/// The owner of completions: its end drops those that have not been called. Belongs to the loop's
/// thread.
class TaskOwner {
 public:
  TaskOwner() : token_(std::make_shared<char>()) {}
  TaskOwner(const TaskOwner&) = delete;
  TaskOwner& operator=(const TaskOwner&) = delete;

 private:
  friend class TaskChannels;
  std::shared_ptr<char> token_;
};

class Task {
 public:
  virtual ~Task() = default;
  /// On a worker; an exception becomes a result.
  virtual void run() = 0;
  /// On the loop: one of these three is called.
  virtual void complete() = 0;
  virtual void give_up() = 0;
  virtual void drop() = 0;
  /// Its name in reports of the loop's time: the type of the completion.
  virtual WorkName name() const = 0;

  std::string channel;
  std::weak_ptr<char> owner;
  bool owned = false;
  bool given_up = false;  // guarded by the mutex of TaskChannels
};

/// The task of one call of submit, with the types of its work and its completion.
template <class Work, class Done>
class TypedTask final : public Task {
 public:
  using Value = std::invoke_result_t<Work&>;
  using Result = bus::Result<Value>;
  static_assert(std::is_invocable_v<Done&, Result>, "called with bus::Result of what work returns");

  TypedTask(Work work, Done done) : work_(std::move(work)), done_(std::move(done)) {}

  void run() override {
    try {
      if constexpr (std::is_void_v<Value>) {
        (*work_)();
        result_ = Result();
      } else {
        result_ = Result((*work_)());
      }
    } catch (const std::exception& error) {
      result_ = Result(bus::Error(bus::Errc::handler_failed, error.what()));
    } catch (...) {
      result_ = Result(bus::Error(bus::Errc::handler_failed));
    }
    work_.reset();
  }
  void complete() override {
    // The captures end here, on the loop, whichever thread lets go of the task last.
    auto result = std::exchange(result_, std::nullopt);
    auto done = std::exchange(done_, std::nullopt);
    (*done)(*std::move(result));
  }
  void give_up() override {
    auto done = std::exchange(done_, std::nullopt);
    (*done)(Result(bus::Error(bus::Errc::shutting_down)));
  }
  void drop() override { done_.reset(); }
  WorkName name() const override { return WorkName(typeid(Done)); }

 private:
  std::optional<Work> work_;
  std::optional<Done> done_;
  std::optional<Result> result_;
};

}  // namespace starbus::nodes
