#include "entity/events/listener_list.hpp"

#include <algorithm>
#include <utility>

namespace starbus::entity {

struct ListenerOrder : boost::intrusive_ref_counter<ListenerOrder, boost::thread_unsafe_counter> {
  ListenerList::Listeners listeners;
};

ListenerList::Round::Round(Pointer list) : list_(std::move(list)), depth_(list_->depth_) {
  if (depth_->rounds == kMaxDispatchDepth) return;
  ++depth_->rounds;
  ++list_->rounds_;
  order_ = list_->order_;
  began_ = true;
}

ListenerList::Round::~Round() {
  if (!began_) return;
  --depth_->rounds;
  order_ = nullptr;
  if (--list_->rounds_ == 0) list_->drop_removed();
}

const ListenerList::Listeners& ListenerList::Round::listeners() const {
  return order_->listeners;
}

ListenerList::ListenerList(boost::intrusive_ptr<DispatchDepth> depth)
    : depth_(std::move(depth)), order_(new ListenerOrder) {}
ListenerList::~ListenerList() = default;

EventResult<ListenerId> ListenerList::add(boost::intrusive_ptr<Listener> listener, int priority) {
  if (size_ == kMaxListeners || closed_) return EventErrc::too_many_listeners;
  std::uint32_t index = static_cast<std::uint32_t>(places_.size());
  if (free_.empty()) {
    places_.push_back(nullptr);
    free_.reserve(places_.capacity());  // so that remove() cannot fail
  } else {
    index = free_.back();
    free_.pop_back();
  }
  const ListenerId id{next_serial_++, index};
  listener->id_ = id;
  listener->priority_ = priority;
  places_[index] = listener.get();
  insert(std::move(listener));
  ++size_;
  return id;
}

void ListenerList::insert(boost::intrusive_ptr<Listener> listener) {
  Listeners& listeners = changeable_order();
  const auto before = [](const auto& a, const auto& b) { return a->priority_ > b->priority_; };
  const auto at = std::upper_bound(listeners.begin(), listeners.end(), listener, before);
  listeners.insert(at, std::move(listener));
}

Listener* ListenerList::find(ListenerId id) const {
  if (id.serial == 0 || id.index >= places_.size()) return nullptr;
  Listener* const listener = places_[id.index];
  return listener != nullptr && listener->id_.serial == id.serial ? listener : nullptr;
}

bool ListenerList::remove(ListenerId id) {
  Listener* const found = find(id);
  if (found == nullptr) return false;
  const boost::intrusive_ptr<Listener> listener(found);
  listener->living_ = false;
  places_[id.index] = nullptr;
  free_.push_back(id.index);
  --size_;
  ++dead_;
  removed_.push_back(listener);
  if (rounds_ == 0) {
    const Pointer self(this);  // the callable may own the dispatcher
    drop_removed();
  }
  return true;
}

bool ListenerList::mute(ListenerId id, bool muted) {
  Listener* const found = find(id);
  if (found != nullptr) found->muted_ = muted;
  return found != nullptr;
}

bool ListenerList::set_priority(ListenerId id, int priority) {
  Listener* const found = find(id);
  if (found == nullptr) return false;
  if (found->priority_ == priority) return true;
  boost::intrusive_ptr<Listener> listener(found);
  Listeners& listeners = changeable_order();
  listeners.erase(std::find(listeners.begin(), listeners.end(), listener));
  listener->priority_ = priority;
  insert(std::move(listener));
  return true;
}

void ListenerList::close() {
  closed_ = true;
  const Pointer self(this);
  for (Listener*& place : places_) {
    if (place == nullptr) continue;
    place->living_ = false;
    removed_.emplace_back(std::exchange(place, nullptr));
    --size_;
    ++dead_;
  }
  if (rounds_ == 0) drop_removed();
}

/// The present order, of which no round has hold.
ListenerList::Listeners& ListenerList::changeable_order() {
  if (order_->use_count() > 1) {
    const boost::intrusive_ptr<ListenerOrder> copy(new ListenerOrder);
    copy->listeners = order_->listeners;
    order_ = copy;
  }
  return order_->listeners;
}

/// So that removing all of many takes time for each of them once.
void ListenerList::compact_if_worth() {
  if (dead_ * 2 <= order_->listeners.size()) return;
  std::erase_if(changeable_order(), [](const auto& listener) { return !listener->living(); });
  dead_ = 0;
}

/// Behind the outermost round: the order is put right before any callable ends, since that may come
/// back here.
void ListenerList::drop_removed() {
  if (removed_.empty()) return;
  compact_if_worth();
  while (!removed_.empty() && rounds_ == 0) {
    const boost::intrusive_ptr<Listener> listener = std::move(removed_.back());
    removed_.pop_back();
    listener->drop_callable();
  }
}

}  // namespace starbus::entity
