/// Listeners of one kind of event, in order of priority; may be changed while it dispatches.
///
/// Used by one thread. Owns the callables of its listeners; a Subscription, or remove(), ends one.
/// Failures are values. An exception of a listener leaves dispatch(); in a node it ends that
/// listener's call alone (base/unit_guard.hpp). docs/guide/events.md has the promises. A dispatcher
/// that never had a listener is one null pointer.
#pragma once

#include <functional>
#include <utility>

#include "base/unit_guard.hpp"
#include "entity/events/listener_list.hpp"

namespace starbus::entity {

template <class Event>
class Dispatcher {
 public:
  using Callback = std::function<void(const Event&)>;

  Dispatcher() = default;
  /// For dispatchers that may call each other: their rounds are counted together.
  explicit Dispatcher(boost::intrusive_ptr<DispatchDepth> depth) : depth_(std::move(depth)) {}
  ~Dispatcher() {
    if (list_) list_->close();
  }
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Higher priorities are called first. Errors: too_many_listeners, no_callback.
  EventResult<ListenerId> add(Callback callback, int priority = 0) {
    if (!callback) return EventErrc::no_callback;
    if (!list_) list_ = new ListenerList(depth_ ? depth_ : new DispatchDepth);
    return list_->add(new Typed(std::move(callback)), priority);
  }
  /// As above, until the subscription ends.
  EventResult<Subscription> subscribe(Callback callback, int priority = 0) {
    const EventResult<ListenerId> id = add(std::move(callback), priority);
    if (!id) return id.error();
    return Subscription(list_, *id);
  }
  /// Was it listening?
  bool remove(ListenerId id) { return list_ && list_->remove(id); }
  /// Behind the others of that priority, from the next round on. Is it listening?
  bool set_priority(ListenerId id, int priority) {
    return list_ && list_->set_priority(id, priority);
  }
  bool contains(ListenerId id) const { return list_ && list_->contains(id); }
  std::size_t size() const { return list_ ? list_->size() : 0; }

  /// Calls all listeners; returns how many were called. Error: too_deep. The dispatcher may have
  /// ended when it returns.
  EventResult<std::size_t> dispatch(const Event& event) {
    if (!list_) return 0;
    const ListenerList::Round round(list_);
    if (!round.began()) return EventErrc::too_deep;
    std::size_t called = 0;
    for (const auto& listener : round.listeners()) {
      if (!listener->hears()) continue;
      ++called;
      const Callback& callback = static_cast<const Typed&>(*listener).callback;
      guarded(UnitKind::listener, typeid(Event), [&] { callback(event); });
    }
    return called;
  }

 private:
  struct Typed final : Listener {
    explicit Typed(Callback function) : callback(std::move(function)) {}
    void drop_callable() override { callback = nullptr; }
    Callback callback;
  };

  ListenerList::Pointer list_;
  boost::intrusive_ptr<DispatchDepth> depth_;
};

}  // namespace starbus::entity
