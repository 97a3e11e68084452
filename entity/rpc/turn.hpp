#pragma once

#include "entity/rpc/local_queue.hpp"
#include "entity/rpc/loop_time.hpp"
#include "entity/rpc/shown_work.hpp"

namespace starbus::entity::rpc {

class Endpoint;

/// What a kind of work of an endpoint has taken.
struct WorkTicks {
  std::uint64_t ticks = 0;    // all its turns
  std::uint64_t longest = 0;  // turn
  void add(std::uint64_t passed) {
    ticks += passed;
    if (passed > longest) longest = passed;
  }
};

/// One turn of what an endpoint runs: shows it meanwhile, and charges it with the time that nothing
/// within it was charged with. May be nested. The object, and the endpoint, may end within it.
class Turn {
 public:
  /// Of the object at this place.
  Turn(Endpoint& endpoint, ShownWork work, WorkTicks& charged, SlotRef slot);
  /// Of nobody who is bound here.
  Turn(Endpoint& endpoint, ShownWork work, WorkTicks& charged);
  ~Turn() { end(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// Ends it, and says what was charged; 0 if nothing is measured, or the endpoint has ended.
  /// `at`: in ticks, if that is known; else 0.
  std::uint64_t end(std::uint64_t at = 0);
  /// Nothing was run: it does not count.
  void cancel() { charged_ = nullptr; }

 private:
  friend class Endpoint;

  Endpoint* endpoint_;  // null: it has ended, or this has
  Turn* const outer_;
  const ShownWork shown_before_;
  WorkTicks* charged_;
  const SlotRef slot_;
  const OwnTime time_;
};

}  // namespace starbus::entity::rpc
