/// Messages for objects of this process: they are not encoded, and are handled in a later turn of
/// the loop, in the order of sending, at most kLocalPass or kLocalPassTime in one turn.
///
/// Before the first one to a channel and lane, a fence through the bus makes sure that everything
/// this process sent there before has been handled; messages wait in Slot::lanes meanwhile.
/// docs/guide/rpc.md, "Local calls".
///
/// Belongs to the loop's thread. Owns the messages; each ends in its method or as an error.
#pragma once

#include <cstddef>
#include <memory>

#include "base/loop_thread.hpp"
#include "bus/core/error.hpp"
#include "entity/rpc/endpoint/binding_table.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

class LocalCalls {
 public:
  explicit LocalCalls(detail::EndpointCore& core);
  ~LocalCalls();
  LocalCalls(const LocalCalls&) = delete;
  LocalCalls& operator=(const LocalCalls&) = delete;

  /// The queue that a message for this object joins now, in order. Null: it takes the bus. Starts a
  /// fence if one is needed.
  LocalQueue* route(Slot& slot, bus::Lane lane);
  /// False: what is in the queue waits for a fence.
  bool runs_soon(const LocalQueue& queue) const { return &queue == &ready_; }
  /// In all queues.
  std::size_t queued() const { return queued_; }
  /// Whether so many more messages may be queued.
  bool takes(std::size_t count) const { return queued_ + count <= kLocalMessages; }
  /// Requires takes(1), and a queue of route().
  void push(LocalQueue& queue, std::unique_ptr<LocalMessage> message);

  /// The place was released: messages for it end as no_such_entity, on a later turn.
  void released(Slot& slot);
  /// The next message in each lane needs a fence again.
  void require_fences(Slot& slot);
  bool fencing(const Slot& slot) const;
  /// Handles at once what is ready for an object.
  void run_ready(SlotRef slot);
  /// Ends all ready messages as closed, at once.
  void close();

 private:
  void schedule();
  void drain();
  void run(LocalMessage& message);
  void start_fence(SlotRef slot, bus::Lane lane);
  void fence_ended(SlotRef slot, bus::Lane lane, const bus::Result<>& result);

  detail::EndpointCore& core_;
  const std::shared_ptr<LocalCalls*> self_ = std::make_shared<LocalCalls*>(this);
  LocalQueue ready_;
  std::size_t queued_ = 0;
  bool scheduled_ = false;
  LoopThread thread_;
};

}  // namespace starbus::entity::rpc
