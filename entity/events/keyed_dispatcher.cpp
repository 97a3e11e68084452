#include "entity/events/keyed_dispatcher.hpp"

namespace starbus::entity {

std::size_t KeyedDispatcher::size() const {
  std::size_t sum = 0;
  for (const auto& list : lists_) sum += list->size();
  return sum;
}

EventKey KeyedDispatcher::key_of(KeyedListenerId id) const {
  const Key& owned = *lists_.at(id.list)->key;
  EventKey key(owned.text);
  key.type_ = owned.type;
  key.value_ = owned.value;
  return key;
}

KeyedDispatcher::View KeyedDispatcher::as_view(const EventKey& key, TypeTag data) {
  return {reinterpret_cast<std::uintptr_t>(key.type_), key.value_,
          reinterpret_cast<std::uintptr_t>(data), key.text_};
}

KeyedDispatcher::View KeyedDispatcher::Before::view(const Key& key) {
  return {reinterpret_cast<std::uintptr_t>(key.type), key.value,
          reinterpret_cast<std::uintptr_t>(key.data), key.text};
}

}  // namespace starbus::entity
