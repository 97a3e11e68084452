/// The listeners of one dispatcher, in order: Dispatcher<Event> without its types.
///
/// Shared by its dispatcher, its subscriptions and the rounds that run, all of one thread; so it
/// outlives whichever of them ends first. Invariants: the order that a round began with is never
/// changed while a round has it (a change makes a copy); a callable is never destroyed while any
/// round runs; each living listener is in the present order once.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "entity/events/limits.hpp"

namespace starbus::entity {

/// Names one listener of one dispatcher; never reused. The default names none.
struct ListenerId {
  std::uint64_t serial = 0;
  std::uint32_t index = 0;

  explicit operator bool() const { return serial != 0; }
  friend auto operator<=>(const ListenerId&, const ListenerId&) = default;
};

struct ListenerOrder;  // the list that rounds go through

/// How deep rounds are nested. Shared by the keys of a dispatcher.
struct DispatchDepth : boost::intrusive_ref_counter<DispatchDepth, boost::thread_unsafe_counter> {
  std::size_t rounds = 0;
};

/// A callable and its place in the list.
class Listener : public boost::intrusive_ref_counter<Listener, boost::thread_unsafe_counter> {
 public:
  virtual ~Listener() = default;
  bool living() const { return living_; }
  /// Living, and not muted.
  bool hears() const { return living_ && !muted_; }

 private:
  friend class ListenerList;
  virtual void drop_callable() = 0;

  ListenerId id_;
  int priority_ = 0;
  bool living_ = true;
  bool muted_ = false;
};

class ListenerList
    : public boost::intrusive_ref_counter<ListenerList, boost::thread_unsafe_counter> {
 public:
  using Pointer = boost::intrusive_ptr<ListenerList>;
  using Listeners = std::vector<boost::intrusive_ptr<Listener>>;

  /// One call of dispatch(): while it lives, list and listeners do. Check began() first.
  class Round {
   public:
    explicit Round(Pointer list);
    ~Round();
    Round(const Round&) = delete;
    Round& operator=(const Round&) = delete;

    bool began() const { return began_; }
    /// In order; those that do not live any more are to be skipped.
    const Listeners& listeners() const;

   private:
    Pointer list_;
    boost::intrusive_ptr<DispatchDepth> depth_;
    boost::intrusive_ptr<ListenerOrder> order_;
    bool began_ = false;
  };

  explicit ListenerList(boost::intrusive_ptr<DispatchDepth> depth);
  ~ListenerList();

  /// In order of priority. too_many_listeners: kMaxListeners, or the list has ended.
  EventResult<ListenerId> add(boost::intrusive_ptr<Listener> listener, int priority);
  /// Was it listening?
  bool remove(ListenerId id);
  bool set_priority(ListenerId id, int priority);
  /// A muted listener keeps its place and is not called: what is dispatched meanwhile passes it by.
  /// Is it listening?
  bool mute(ListenerId id, bool muted);
  bool contains(ListenerId id) const { return find(id) != nullptr; }
  /// Removes all, and takes no more: the dispatcher ends.
  void close();
  std::size_t size() const { return size_; }

 private:
  Listener* find(ListenerId id) const;
  void insert(boost::intrusive_ptr<Listener> listener);
  Listeners& changeable_order();
  void compact_if_worth();
  void drop_removed();

  boost::intrusive_ptr<DispatchDepth> depth_;
  boost::intrusive_ptr<ListenerOrder> order_;
  std::vector<Listener*> places_;    // by ListenerId::index; null: free
  std::vector<std::uint32_t> free_;  // indices of places_
  Listeners removed_;                // their callables are destroyed after the outermost round
  std::size_t rounds_ = 0;           // that run with this list
  std::size_t size_ = 0;
  std::size_t dead_ = 0;  // in order_
  std::uint64_t next_serial_ = 1;
  bool closed_ = false;
};

/// Removes its listener when it ends. Movable; may outlive the dispatcher.
class Subscription {
 public:
  Subscription() = default;
  Subscription(ListenerList::Pointer list, ListenerId id) : list_(std::move(list)), id_(id) {}
  ~Subscription() { reset(); }
  Subscription(Subscription&& other) noexcept
      : list_(std::move(other.list_)), id_(std::exchange(other.id_, {})) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this == &other) return *this;
    reset();
    list_ = std::move(other.list_);
    id_ = std::exchange(other.id_, {});
    return *this;
  }

  /// Removes the listener now.
  void reset() {
    // Taken out first: destroying the callable may end this subscription again.
    const ListenerList::Pointer list = std::move(list_);
    list_ = nullptr;
    if (list) list->remove(std::exchange(id_, {}));
  }
  bool active() const { return list_ && list_->contains(id_); }
  /// See ListenerList::mute.
  void mute(bool muted) {
    if (list_) list_->mute(id_, muted);
  }

 private:
  ListenerList::Pointer list_;
  ListenerId id_;
};

}  // namespace starbus::entity
