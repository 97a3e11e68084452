#include "nodes/gate/net/out_queue.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace starbus::nodes::gate::net {
void OutQueue::push(Body body, const FrameHead& head) {
  frames_.push_back({std::move(body), head});
  bytes_ += frames_.back().size();
}

template <class Visit>
void OutQueue::pieces(Visit&& visit) const {
  std::size_t skip = front_sent_;
  for (const Frame& frame : frames_) {
    for (bus::ByteView piece :
         {bus::ByteView(frame.head.bytes).first(frame.head.size), bus::ByteView(*frame.body)}) {
      const std::size_t skipped = std::min(skip, piece.size());
      skip -= skipped;
      piece = piece.subspan(skipped);
      if (!piece.empty() && !visit(piece)) return;
    }
  }
}

std::size_t OutQueue::gather(std::span<iovec> parts) const {
  std::size_t count = 0;
  pieces([&](bus::ByteView piece) {
    // The system's form has no const; it only reads.
    parts[count++] = {const_cast<std::byte*>(piece.data()), piece.size()};
    return count < parts.size();
  });
  return count;
}

std::size_t OutQueue::copy(std::span<std::byte> into) const {
  std::size_t filled = 0;
  pieces([&](bus::ByteView piece) {
    const std::size_t part = std::min(piece.size(), into.size() - filled);
    std::memcpy(into.data() + filled, piece.data(), part);
    filled += part;
    return filled < into.size();
  });
  return filled;
}

void OutQueue::sent(std::size_t bytes) {
  assert(bytes <= bytes_);
  bytes_ -= bytes;
  promised_ = 0;
  front_sent_ += bytes;
  while (!empty() && front_sent_ >= frames_.front().size()) {
    front_sent_ -= frames_.front().size();
    frames_.pop_front();
  }
}

void OutQueue::drop_unsent() {
  std::size_t end = 0;  // of the frames before this one, from the first unwritten byte on
  std::size_t keep = 0;
  for (; keep < frames_.size(); ++keep) {
    const std::size_t begun = keep == 0 ? front_sent_ : 0;
    if (begun == 0 && end >= promised_) break;
    end += frames_[keep].size() - begun;
  }
  frames_.resize(keep);
  bytes_ = end;
  if (empty()) clear();
}

void OutQueue::clear() {
  frames_.clear();
  front_sent_ = bytes_ = promised_ = 0;
}

}  // namespace starbus::nodes::gate::net
