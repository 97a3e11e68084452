#include "aoi/wire/numbering.hpp"

#include <algorithm>
#include <cassert>

#include "aoi/limits.hpp"

namespace starbus::aoi {

bool Numbering::rests(std::uint32_t slot, std::uint32_t now) {
  return (slot & kInUse) != 0 || ((now - slot) & ~kInUse) >= kInUse / 2;
}

// Half as many again: most observers see about the same number of targets for long.
void Numbering::grow() {
  const std::uint32_t more = std::min<std::uint32_t>(kMaxWireIndex, capacity_ + capacity_ / 2u + 4);
  auto slots = std::make_unique_for_overwrite<std::uint32_t[]>(more);
  std::copy_n(slots_.get(), size_, slots.get());
  slots_ = std::move(slots);
  capacity_ = static_cast<std::uint16_t>(more);
}

std::uint16_t Numbering::take(EntityIndex target, std::uint64_t update) {
  const auto now = static_cast<std::uint32_t>(update) & ~kInUse;
  if (looked_at_ != now) {
    looked_at_ = now;
    first_ = 0;
  }
  std::uint32_t at = first_;
  while (at < size_ && rests(slots_[at], now)) ++at;
  first_ = static_cast<std::uint16_t>(at);
  if (at == size_) {
    if (size_ == kMaxWireIndex) return 0;
    if (size_ == capacity_) grow();
    ++size_;
  }
  slots_[at] = kInUse | target;
  ++in_use_;
  const auto number = static_cast<std::uint16_t>(at + 1);
  if (by_target_) {
    by_target_->emplace(target, number);
  } else if (in_use_ > kFew) {
    by_target_ = std::make_unique<ByTarget>();
    each([this](EntityIndex one, std::uint16_t its) { by_target_->emplace(one, its); });
  }
  return number;
}

// Returns size_ if the target has no number.
std::uint32_t Numbering::place_of(EntityIndex target) const {
  if (by_target_) {
    const auto at = by_target_->find(target);
    return at == by_target_->end() ? size_ : at->second - 1u;
  }
  const std::uint32_t wanted = kInUse | target;
  return static_cast<std::uint32_t>(std::find(slots_.get(), slots_.get() + size_, wanted) -
                                    slots_.get());
}

std::uint16_t Numbering::of(EntityIndex target) const {
  const std::uint32_t at = place_of(target);
  return at == size_ ? std::uint16_t{0} : static_cast<std::uint16_t>(at + 1);
}

std::uint16_t Numbering::give_back(EntityIndex target, std::uint64_t told,
                                   std::uint32_t quarantine) {
  const std::uint32_t at = place_of(target);
  if (at == size_) return 0;
  slots_[at] = static_cast<std::uint32_t>(told + 1 + quarantine) & ~kInUse;
  --in_use_;
  if (by_target_) {
    by_target_->erase(target);
    if (in_use_ < kFew / 2) by_target_.reset();
  }
  return static_cast<std::uint16_t>(at + 1);
}

std::uint64_t Numbering::memory() const {
  std::uint64_t bytes = capacity_ * sizeof(std::uint32_t);
  if (by_target_) bytes += by_target_->bucket_count() * (sizeof(ByTarget::value_type) + 1);
  return bytes;
}

}  // namespace starbus::aoi
