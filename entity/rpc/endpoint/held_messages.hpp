/// Messages for objects that are packed for another process. While the bus moves a name it hands
/// over nothing for it; but when a move was given up, it goes on a moment before the object does,
/// which hears of that in a later turn of the loop. What comes in between waits here, in order.
///
/// Belongs to the loop's thread; owns the messages, at most kMaxHeldMoving. Nothing of it fails:
/// beyond the limit a call is answered with would_block.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <variant>

#include "bus/client/message.hpp"
#include "entity/rpc/endpoint/local_queue.hpp"

namespace starbus::entity::rpc {

class HeldMessages {
 public:
  explicit HeldMessages(detail::EndpointCore& core) : core_(core) {}
  HeldMessages(const HeldMessages&) = delete;
  HeldMessages& operator=(const HeldMessages&) = delete;

  /// A message for the object at this place, which is packed. Null call: a message.
  void hold(SlotRef to, const bus::Message& message, bus::Call* call);
  /// The move has ended: from now on the object gets its messages, these first. One that is not
  /// there any more gets none, and its callers no_such_entity.
  void hand_over(SlotRef to);
  std::size_t size() const { return size_; }

 private:
  using Held = std::variant<bus::Message, bus::Call>;
  detail::EndpointCore& core_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Held>> places_;  // by SlotRef
  std::size_t size_ = 0;
};

}  // namespace starbus::entity::rpc
