#pragma once

#include "entity/archive/archivable.hpp"
#include "entity/properties/root.hpp"

namespace starbus::entity {

/// True for values that can never exceed kMaxValue.
template <class T>
inline constexpr bool kSmallValue = Number<T>;

/// ok, or why a value cannot be encoded within kMaxValue.
template <class T>
DataErrc check_value(const T& value) {
  if constexpr (kSmallValue<T>) {
    return DataErrc::ok;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.size() + kMaxVarint <= kMaxValue ? DataErrc::ok : DataErrc::too_large;
  } else {
    Scratch scratch;
    Encoder out(scratch.bytes(), kMaxValue);
    put_value(out, value);
    return out.error();
  }
}

/// Throws BadData unless it is ok.
inline void throw_if(DataErrc error) {
  if (error != DataErrc::ok) throw BadData(error);
}

/// The base of fields and containers: their place, and how they record a change. The
/// owner is the struct that has them as a member. Belongs to the thread that owns the entity.
template <Flags F>
class Member {
  static_assert(valid(F), "one lifetime at most, none if saved; server_only excludes audiences");

 public:
  Member(const Member&) = default;
  Member& operator=(const Member&) { return *this; }

  Address address() const { return Address(owner(), place_.index(), F); }

 protected:
  template <class Field, class Owner, class Name>
  Member(Owner* owner, const Field* self, const Name& name)
      : place_(static_cast<StructBase*>(owner)->enlist(self, this, name)) {
    (void)class_with_fields_does_not_name_itself<Owner>{};
  }
  ~Member() = default;

  StructBase& owner() const { return *place_.owner(this); }
  /// Bits that a write must check; 0: none.
  std::uint8_t attention() const {
    constexpr auto kWatched =
        static_cast<std::uint8_t>((reach_of(F, false) & kAudienceBits) | StructBase::kReplicaBit |
                                  StructBase::kObservedBit | StructBase::kFrozenBit);
    return static_cast<std::uint8_t>(owner().top()->attention() & kWatched);
  }
  static bool refused(std::uint8_t attention) {
    return (attention & (StructBase::kReplicaBit | StructBase::kFrozenBit)) != 0;
  }
  /// Why a write is refused.
  static DataErrc refusal(std::uint8_t attention) { return Root::refusal(attention); }
  static bool observed(std::uint8_t attention) {
    return (attention & StructBase::kObservedBit) != 0;
  }
  Place place() const { return place_; }

  /// Records a change if it is watched: payload(Encoder&) writes what follows the address, and
  /// `key` says how much of that is a key; `moved_too` as of Journal::Entry. An error: nothing was
  /// recorded.
  template <class Payload>
  DataErrc record(std::uint8_t attention, Operation operation, Payload&& payload,
                  std::size_t key = 0, bool moved_too = false) const {
    if ((attention & kAudienceBits) == 0) return DataErrc::ok;
    const Address to = address();
    const Reach audiences = static_cast<Reach>(to.reach() & attention & kAudienceBits);
    if (audiences == 0) return DataErrc::ok;
    Scratch scratch;
    Encoder out(scratch.bytes(), kMaxValue);
    payload(out);
    if (!out.ok()) return out.error();
    to.root().record(
        {audiences, operation, to.depth(), to.bytes(), scratch.bytes(), key, moved_too});
    return DataErrc::ok;
  }
  /// Tells observers of a change that was made.
  void tell(std::uint8_t attention, Operation operation, std::any old = {}) const {
    if (!observed(attention)) return;
    const Address at = address();
    if (at.root().observed(at.bytes())) at.root().tell(at, operation, std::move(old));
  }

 private:
  Place place_;
};

}  // namespace starbus::entity
