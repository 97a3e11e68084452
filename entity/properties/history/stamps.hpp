#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "entity/archive/encoder.hpp"

namespace starbus::entity {

/// A part of the state that changes as one, in memory and on the wire.
enum class PartKind : std::uint8_t {
  whole,    ///< a field: its value, or all of a struct or container
  element,  ///< of a list or map: the value of a key; of a bag: an item with its slot
  gone,     ///< on the wire: there is no element with that key
  slot,     ///< of a bag: where an item lies
};

/// When each part of an entity's properties has changed last, so that "what has changed since" is
/// answered without a history of the changes. A field of the entity itself costs four bytes; what
/// changes within structs and containers costs some fourteen, and no more than kStampedParts of
/// them are kept apart: beyond, the older half of those of one field becomes a stamp of that whole
/// field, which tells observers more than has changed, and never less. Belongs to a Journal; used
/// by its thread.
class Stamps {
 public:
  /// `fields`: of the entity itself.
  explicit Stamps(std::size_t fields);

  /// Nothing has changed after `base`.
  void clear(std::uint64_t base);
  /// False: so many ticks after the base that it must be cleared first.
  bool takes(std::uint64_t stamp) const {
    return stamp > base_ && stamp - base_ <= std::numeric_limits<std::uint32_t>::max();
  }
  /// The part has changed; `address` is the way to its field of `depth` indices, then the key of an
  /// element. Requires takes(stamp), and stamps that do not fall.
  void note(PartKind part, std::uint8_t depth, ByteView address, std::uint64_t stamp);

  struct Changed {
    PartKind part;  ///< whole, element or slot
    std::uint8_t depth;
    ByteView address;  ///< as noted
  };
  /// visit(Changed) for each part that changed after `since`, and for none within another one that
  /// did. May not change this.
  template <class Visit>
  void since(std::uint64_t since, Visit&& visit) const;

  /// When the entity's field with this index, 1 or more, or anything within it has changed last.
  std::uint64_t last(std::size_t index) const;
  /// The parts that are kept apart.
  std::size_t parts() const { return parts_.size(); }
  std::size_t memory() const;

 private:
  struct Entry {
    std::uint32_t stamp;  // less the base
    std::uint16_t at;     // of the address in names_
    std::uint16_t size : 10;
    std::uint16_t part : 2;
    std::uint16_t depth : 3;
  };
  using Entries = std::vector<Entry>;

  std::uint32_t less_base(std::uint64_t stamp) const;
  ByteView name(const Entry& entry) const { return ByteView(names_).subspan(entry.at, entry.size); }
  std::size_t place_of(ByteView address) const;
  void erase(std::size_t from, std::size_t to);
  void shed();
  void compact_names();

  std::uint64_t base_ = 0;
  std::unique_ptr<std::uint32_t[]> fields_;  // by index - 1: the stamp of the whole, less the base
  Entries parts_;                            // by address, so that what lies within one is next
  Bytes names_;
  std::uint16_t unused_ = 0;  // bytes of names_
  std::uint8_t count_;        // of fields_
};

template <class Visit>
void Stamps::since(std::uint64_t since, Visit&& visit) const {
  const std::uint32_t after = less_base(since);
  for (std::size_t i = 0; i < count_; ++i) {
    if (fields_[i] <= after) continue;
    const auto index = static_cast<std::byte>(i + 1);
    visit(Changed{PartKind::whole, 1, ByteView(&index, 1)});
  }
  ByteView told;
  for (const Entry& entry : parts_) {
    if (entry.stamp <= after) continue;
    const ByteView address = name(entry);
    if (fields_[std::to_integer<std::size_t>(address.front()) - 1] > after) continue;
    if (!told.empty() && bus::as_text(address).starts_with(bus::as_text(told))) continue;
    told = address;
    visit(Changed{static_cast<PartKind>(entry.part), static_cast<std::uint8_t>(entry.depth),
                  address});
  }
}

}  // namespace starbus::entity
