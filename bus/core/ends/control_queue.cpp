#include "bus/core/ends/control_queue.hpp"

namespace starbus::bus {

void ControlQueue::reset() {
  open_ = false;
  overflowed_ = false;
  records_.clear();
}

void ControlQueue::add_encoded(ByteView record) {
  if (!open_ || overflowed_) return;
  overflowed_ = records_.size() + record.size() > kControlQueue;
  if (!overflowed_) records_.push(record.data(), record.size());
}

FillResult ControlQueue::fill_bundle(std::size_t budget, Bytes& out) {
  std::size_t filled = 0;
  while (!records_.empty() && filled < budget) {
    const std::size_t size = sizeof(std::uint32_t) + load<std::uint32_t>(records_.data());
    const bool large = size > kChunk;
    if (large && filled != 0) break;
    out.insert(out.end(), records_.data(), records_.data() + size);
    records_.pop(size);
    filled += size;
    if (large) return {filled, true};
  }
  return {filled, false};
}

}  // namespace starbus::bus
