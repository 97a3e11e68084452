#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <coroutine>
#include <cstddef>
#include <string>
#include <utility>

#include "entity/rpc/endpoint/work_meter.hpp"

namespace starbus::entity::rpc {

class CallableBase;
class Running;

/// The coroutines of one endpoint that have not ended. Belongs to the loop's thread; owns none of
/// them: each belongs to its object.
class RunningList {
 public:
  std::size_t size() const { return size_; }
  /// Whether the object may start one more: kMaxRunning, its most_coroutines().
  bool admits(const CallableBase& host) const;
  void add(Running& running);
  void remove(Running& running);
  void kill_all();

 private:
  std::size_t size_ = 0;
  Running* first_ = nullptr;
};

/// The root of a stack of coroutines that belongs to an object: it runs them, and ends with them or
/// with the object, whichever is first. Belongs to the loop's thread. All coroutines are resumed
/// here, so that a coroutine which ends its own object is destroyed at its next suspension and not
/// while it runs.
///
/// The object holds a reference until the coroutines have returned or the object ends; resume()
/// holds another.
class Running : public boost::intrusive_ref_counter<Running, boost::thread_unsafe_counter> {
 public:
  /// Without a method: it was spawned.
  Running(detail::EndpointCore& at, CallableBase& host, const MethodInfo* method);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  virtual ~Running();

  /// The object holds it from now on. Once, before anything runs.
  void link();
  /// Runs until everything is suspended or done; while its object is paused, when that ends.
  /// Returns when that was, in ticks, if it was measured and nothing ran afterwards; else 0. This
  /// object may be gone then, unless its caller holds it.
  std::uint64_t resume(std::coroutine_handle<> handle);
  /// Within resume: the coroutine that runs when the present one is suspended.
  void go_on_with(std::coroutine_handle<> handle) { next_ = handle; }
  /// After the pause of its object: what woke it meanwhile does so now.
  void go_on();
  /// For people: its method, or "coroutine of CLASS".
  std::string name() const { return work_.name(); }
  const Running* next_of_object() const { return after_.get(); }
  /// The object has ended. Destroys the frames, now or when they return.
  void kill();

 protected:
  virtual bool done() const = 0;
  /// The coroutine has returned: answer. Called once, before the end of this object.
  virtual void finish() = 0;
  /// The same, but its object has ended meanwhile: nothing is left to do but to report what it
  /// threw.
  virtual void finish_alone() = 0;
  /// Whether its object still holds it: it is neither done nor killed.
  bool linked() const { return host_ != nullptr; }
  detail::EndpointCore& core() const { return core_; }

 private:
  friend class RunningList;
  void unlink();

  detail::EndpointCore& core_;
  CallableBase* host_;
  CurrentWork work_;
  WorkTicks* charged_;
  Running* before_ = nullptr;  // of the object
  boost::intrusive_ptr<Running> after_;
  Running* list_before_ = nullptr;  // of the endpoint
  Running* list_after_ = nullptr;
  std::coroutine_handle<> next_;
  std::coroutine_handle<> held_;  // to be resumed when its object goes on
  bool executing_ = false;
  bool doomed_ = false;
};

}  // namespace starbus::entity::rpc
