#pragma once

#include <coroutine>
#include <utility>

#include "entity/rpc/turn.hpp"

namespace starbus::entity::rpc {

class HostBase;
class Endpoint;

/// The root of a stack of coroutines that belongs to an object: it runs them, and ends with them or
/// with the object, whichever is first. Heap-allocated; deletes itself. Belongs to the loop's
/// thread. Whoever resumes a coroutine does it here, so that one which ends its own object while it
/// runs is destroyed at its next suspension and not under its feet.
class Running {
 public:
  /// Without a method: it was spawned.
  Running(Endpoint& endpoint, HostBase& host, const MethodInfo* method);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// Runs until everything is suspended or done. This object may be gone afterwards.
  void resume(std::coroutine_handle<> handle);
  /// Within resume: what runs when the present coroutine is suspended.
  void go_on_with(std::coroutine_handle<> handle) { next_ = handle; }
  /// Its object has ended. Destroys the frames, now or when they return.
  void kill();

 protected:
  virtual ~Running();
  virtual bool done() const = 0;
  /// The coroutine has returned: answer. Called once, before the end of this object.
  virtual void finish() = 0;
  Endpoint& endpoint() const { return *endpoint_; }

 private:
  friend class Endpoint;
  void unlink();

  Endpoint* endpoint_;
  HostBase* host_;
  ShownWork work_;
  WorkTicks* charged_;
  Running* before_ = nullptr;  // of the object
  Running* after_ = nullptr;
  Running* endpoint_before_ = nullptr;
  Running* endpoint_after_ = nullptr;
  std::coroutine_handle<> next_;
  bool executing_ = false;
  bool doomed_ = false;
};

}  // namespace starbus::entity::rpc
