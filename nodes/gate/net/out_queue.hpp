#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/compact_queue.hpp"
#include "bus/core/bytes.hpp"
#include "nodes/gate/net/ws_head.hpp"

namespace starbus::nodes::gate::net {

/// A frame, or what follows on its prefix: encoded once, however many connections it goes to.
using Body = std::shared_ptr<const bus::Bytes>;

/// What waits to be written to one connection: heads of its own and bodies that are shared.
/// Bounded by the owner, who asks bytes(). A value; one thread at a time.
class OutQueue {
 public:
  /// Appends a frame; the body is shared, not copied.
  void push(Body body, const FrameHead& head);
  bool empty() const { return frames_.empty(); }
  /// Not written yet.
  std::size_t bytes() const { return bytes_; }

  /// Points at the first unwritten bytes; returns how many parts it has filled.
  std::size_t gather(std::span<iovec> parts) const;
  /// Copies the first unwritten bytes; returns how many.
  std::size_t copy(std::span<std::byte> into) const;
  /// The first bytes have been written.
  void sent(std::size_t bytes);
  /// The first bytes stay, whatever is dropped: OpenSSL has them, and wants to see them again.
  void promise(std::size_t bytes) { promised_ = bytes; }
  /// Forgets every frame of which nothing was written or promised.
  void drop_unsent();
  void clear();

 private:
  struct Frame {
    Body body;
    FrameHead head;
    std::size_t size() const { return head.size + body->size(); }
  };
  /// Calls `visit(bytes)` for the unwritten pieces in their order, until it returns false.
  template <class Visit>
  void pieces(Visit&& visit) const;

  CompactQueue<Frame> frames_;
  std::size_t front_sent_ = 0;  // bytes of the first frame
  std::size_t bytes_ = 0;
  std::size_t promised_ = 0;
};

}  // namespace starbus::nodes::gate::net
