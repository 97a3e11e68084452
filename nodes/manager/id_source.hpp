/// Ids for one process, from the blocks that the manager grants. An id is nearly always available,
/// since the next block is requested before the present one is used up.
///
///   IdSource ids(node.rpc(), node.timers(), "entities");
///   const bus::Result<std::uint64_t> id = ids.next();       // at once, or would_block
///   const auto waited = co_await ids.wait_next(2s);         // or with a callback
///
/// Belongs to the loop's thread. An id is given out once in the cluster, for ever; unused ids of a
/// process that ends are never used. Errors are values: while there is no manager, or no store, it
/// asks again every kIdRetry, and next() returns would_block when it is empty.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "base/loop_thread.hpp"
#include "bus/client/initiate_early.hpp"
#include "entity/rpc/endpoint.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/manager/cluster_report.hpp"

namespace starbus::nodes::manager {

class IdSource {
 public:
  using Done = std::function<void(bus::Result<std::uint64_t>)>;

  /// Requests its first block on the first next(), wait_next() or refill().
  IdSource(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, std::string counter);
  IdSource(const IdSource&) = delete;
  IdSource& operator=(const IdSource&) = delete;
  /// Waiting callers are not called any more.
  ~IdSource() = default;

  /// would_block: no id is available; a block was requested.
  bus::Result<std::uint64_t> next();
  /// Completes once: at once if an id is available, else when one is, in the order of waiting;
  /// or with deadline, and the reason why the latest request failed. would_block, in a later turn
  /// of the loop: kMaxIdWaiters wait. A callback may wait again, which calls nothing within it, or
  /// end this source.
  template <bus::CompletionFor<std::uint64_t> Token = bus::Awaited>
  auto wait_next(std::chrono::milliseconds limit, Token&& token = Token()) {
    return bus::initiate_early<std::uint64_t>(std::forward<Token>(token), [this, limit](Done done) {
      start_wait(limit, std::move(done));
    });
  }
  /// Requests a block unless enough ids are available. Call it before the first id is needed.
  void refill();

  std::uint64_t at_hand() const { return ids_left(present_) + ids_left(spare_); }

 private:
  struct Waiter {
    Done done;
    std::uint64_t number = 0;
    entity::TimerId timer{};
  };
  struct Rest {
    std::uint64_t next = 1;
    std::uint64_t last = 0;  // none left if it is below next
  };
  static std::uint64_t ids_left(const Rest& rest) {
    return rest.last < rest.next ? 0 : rest.last - rest.next + 1;
  }
  void start_wait(std::chrono::milliseconds limit, Done done);
  bool take(std::uint64_t& id);
  void answered(const bus::Result<IdRange>& range);
  void refuse(Done done, bus::Error why);
  void serve();
  void serve_later();
  void give_up(std::uint64_t waiter);

  entity::rpc::Endpoint& endpoint_;
  entity::TimerWheel& timers_;
  const std::string counter_;
  Rest present_;
  Rest spare_;
  bool asking_ = false;   // or waits to ask again
  bool serving_ = false;  // or will in the next turn
  bus::Error refused_;    // the latest refusal
  std::list<Waiter> waiters_;
  std::uint64_t waiters_made_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner owner_;
  LoopThread thread_;
};

/// An error of wait_next() for people, with what to do about it: the manager's name has no owner, a
/// role may not ask it, or something else. Pure.
std::string why_no_id(const bus::Error& error);

}  // namespace starbus::nodes::manager
