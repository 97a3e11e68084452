#include "entity/properties/address.hpp"

#include "entity/properties/root.hpp"

namespace starbus::entity {

std::string_view name_of(Operation operation) {
  constexpr std::array<std::string_view, kOperations> kNames = {
      "clear",      "set",     "list_push", "list_pop",   "list_set",  "list_insert",
      "list_erase", "map_put", "map_erase", "bag_insert", "bag_erase", "bag_move"};
  return kNames.at(static_cast<std::size_t>(operation));
}

Address::Address(StructBase& owner, std::uint8_t index, Flags flags)
    : top_(&owner), reach_(reach_of(flags, owner.place_.index() == StructBase::kTop)) {
  prepend_index(index);
  while (top_->place_.index() != StructBase::kTop) {
    if (top_->place_.index() != StructBase::kElement) {
      reach_ = static_cast<Reach>(reach_ & top_->reach_);
      prepend_index(top_->place_.index());
      top_ = top_->holder();
      continue;
    }
    const auto* element = reinterpret_cast<const Element*>(reinterpret_cast<std::uintptr_t>(top_) -
                                                           top_->place_.distance());
    element->prepend_key(*this);
    Place place;
    Reach reach = 0;
    const void* bag = element->container(place, reach);
    prepend_index(place.index());
    reach_ = static_cast<Reach>(reach_ & reach);
    top_ = place.owner(bag);
  }
}

Root& Address::root() const {
  assert(top_->attention() != 0);
  return static_cast<Root&>(*top_);
}

}  // namespace starbus::entity
