#include "entity/properties/history/stamps.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cassert>

namespace starbus::entity {
namespace {

// Names of a byte and a key or two are the rule: compacting fewer of them gains nothing.
constexpr std::size_t kCompactNames = 64;

}  // namespace

Stamps::Stamps(std::size_t fields)
    : fields_(std::make_unique<std::uint32_t[]>(fields)),
      count_(static_cast<std::uint8_t>(fields)) {}

void Stamps::clear(std::uint64_t base) {
  base_ = base;
  std::fill_n(fields_.get(), count_, 0U);
  parts_.clear();
  names_.clear();
  unused_ = 0;
}

std::uint32_t Stamps::less_base(std::uint64_t stamp) const {
  if (stamp <= base_) return 0;
  const std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(stamp - base_, most));
}

void Stamps::note(PartKind part, std::uint8_t depth, ByteView address, std::uint64_t stamp) {
  assert(takes(stamp) && !address.empty() && address.size() < 1U << 10);
  const std::uint32_t now = less_base(stamp);
  if (address.size() == 1) fields_[std::to_integer<std::size_t>(address.front()) - 1] = now;
  if (address.size() == 1 && parts_.empty()) return;
  // What lies within it is told with it.
  const std::size_t begin = place_of(address);
  std::size_t end = begin;
  while (end < parts_.size() &&
         bus::as_text(name(parts_[end])).starts_with(bus::as_text(address))) {
    ++end;
  }
  if (address.size() == 1) return erase(begin, end);
  if (end != begin && parts_[begin].size == address.size()) {
    parts_[begin].stamp = now;
    return erase(begin + 1, end);
  }
  erase(begin, end);
  Entry entry{};
  entry.stamp = now;
  entry.at = static_cast<std::uint16_t>(names_.size());
  entry.size = static_cast<std::uint16_t>(address.size()) & 0x3ffU;
  entry.part = static_cast<std::uint16_t>(part) & 3U;
  entry.depth = depth & 7U;
  names_.insert(names_.end(), address.begin(), address.end());
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(begin), entry);
  if (unused_ > kCompactNames && 2U * unused_ > names_.size()) compact_names();
  if (names_.size() > kStampedBytes && unused_ > 0) compact_names();
  while (parts_.size() > kStampedParts || names_.size() > kStampedBytes) shed();
}

std::size_t Stamps::place_of(ByteView address) const {
  const auto before = [this](const Entry& entry, std::string_view text) {
    return bus::as_text(name(entry)) < text;
  };
  const auto at = std::lower_bound(parts_.begin(), parts_.end(), bus::as_text(address), before);
  return static_cast<std::size_t>(at - parts_.begin());
}

void Stamps::erase(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    unused_ = static_cast<std::uint16_t>(unused_ + parts_[i].size);
  }
  parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(from),
               parts_.begin() + static_cast<std::ptrdiff_t>(to));
}

void Stamps::compact_names() {
  Bytes kept;
  kept.reserve(names_.size() - unused_);
  for (Entry& entry : parts_) {
    const ByteView bytes = name(entry);
    entry.at = static_cast<std::uint16_t>(kept.size());
    kept.insert(kept.end(), bytes.begin(), bytes.end());
  }
  names_ = std::move(kept);
  unused_ = 0;
}

/// The older half of what is kept of one field, of the field that has most, becomes its stamp.
void Stamps::shed() {
  std::size_t from = 0;
  std::size_t to = 0;
  for (std::size_t begin = 0; begin < parts_.size();) {
    const std::byte field = name(parts_[begin]).front();
    std::size_t end = begin;
    while (end < parts_.size() && name(parts_[end]).front() == field) ++end;
    if (end - begin > to - from) {
      from = begin;
      to = end;
    }
    begin = end;
  }
  boost::container::small_vector<std::uint32_t, kStampedParts + 1> stamps;
  for (std::size_t i = from; i < to; ++i) stamps.push_back(parts_[i].stamp);
  const auto middle = stamps.begin() + static_cast<std::ptrdiff_t>(stamps.size() / 2);
  std::nth_element(stamps.begin(), middle, stamps.end());
  std::uint32_t& whole = fields_[std::to_integer<std::size_t>(name(parts_[from]).front()) - 1];
  whole = std::max(whole, *middle);
  for (std::size_t i = to; i-- > from;) {
    if (parts_[i].stamp <= *middle) erase(i, i + 1);
  }
  compact_names();
}

std::uint64_t Stamps::last(std::size_t index) const {
  std::uint32_t latest = fields_[index - 1];
  for (const Entry& entry : parts_) {
    if (std::to_integer<std::size_t>(name(entry).front()) == index) {
      latest = std::max(latest, entry.stamp);
    }
  }
  return base_ + latest;
}

std::size_t Stamps::memory() const {
  return count_ * sizeof(std::uint32_t) + parts_.capacity() * sizeof(Entry) + names_.capacity();
}

}  // namespace starbus::entity
