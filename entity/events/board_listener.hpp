/// The keys that one subject listens to at its present place.
///
/// Owns the callbacks of its subject; while it is attached to a board, that lists it once for each
/// key, and type of data, that it has callbacks for, and for no other. Remembers the highest number
/// that it has heard of a place, so that it hears an announcement of several cells of a place once,
/// also when it moves between them. Used by one thread; board and listener may end in any order,
/// also within a callback. Failures are values; an exception of a callback leaves announce().
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "entity/events/event_board.hpp"
#include "entity/events/seen_numbers.hpp"

namespace starbus::entity {

class BoardListener {
 public:
  BoardListener() = default;
  BoardListener(const BoardListener&) = delete;
  BoardListener& operator=(const BoardListener&) = delete;

  /// Calls `callback(const Data&)` for this key, wherever it is attached. Errors: too_many_keys and
  /// too_many_listeners, of its own or of the board; no_callback.
  template <class Data>
  EventResult<KeyedListenerId> add(const EventKey& key, std::function<void(const Data&)> callback,
                                   int priority = 0) {
    const auto id = callbacks_.add<Data>(key, std::move(callback), priority);
    if (!id) return id.error();
    if (entries_.size() <= id->list) entries_.resize(id->list + 1);
    std::unique_ptr<Entry>& entry = entries_[id->list];
    if (!entry) entry = std::make_unique<TypedEntry<Data>>(*this, *id);
    if (callbacks_.size_beside(*id) > 1 || !attached()) return *id;
    if (const auto entered = entry->enter(*state_->lists); !entered) {
      callbacks_.remove(*id);
      return entered.error();
    }
    return *id;
  }
  /// Returns whether it was listening. Destroys its callback, which may own this.
  bool remove(KeyedListenerId id);
  /// Callbacks of all keys.
  std::size_t size() const { return callbacks_.size(); }

  /// Leaves the board where it was, and joins this one. Returns how many announcements were made at
  /// the place since it last heard one there: 0 if it remembers none. Errors: too_many_keys and
  /// too_many_listeners, of the board: then it is attached to none.
  EventResult<std::uint64_t> attach(EventBoard& board);
  void detach();
  /// False also when the board has ended.
  bool attached() const { return state_ && state_->lists; }

  /// The numbers, to go on with in another process; also while it is attached.
  void save(Encoder& out) const;
  /// The saved numbers count from now on; a number never sinks. Errors: malformed, truncated,
  /// too_large: then nothing has changed.
  DataResult<> restore(Decoder& in);

 private:
  struct Entry {
    virtual ~Entry() = default;
    virtual EventResult<> enter(KeyedDispatcher& lists) = 0;
    KeyedListenerId any;  // of its key
    Subscription listed;
  };
  template <class Data>
  struct TypedEntry final : Entry {
    TypedEntry(BoardListener& of, KeyedListenerId id)
        : owner(of), key(owner.callbacks_.key_of(id)) {
      any = id;
    }
    EventResult<> enter(KeyedDispatcher& lists) override {
      auto entered = lists.subscribe<Announcement<Data>>(
          key, [this](const Announcement<Data>& told) { owner.hear(key, told); });
      if (!entered) return entered.error();
      listed = std::move(*entered);
      return {};
    }
    BoardListener& owner;
    const EventKey key;  // a view of that of callbacks_
  };

  template <class Data>
  void hear(const EventKey& key, const Announcement<Data>& announcement) {
    if (announcement.number <= floor_) return;
    heard_ = std::max(heard_, announcement.number);
    // This may have ended when it returns; the announcement is on the stack of its caller.
    if (callbacks_.dispatch(key, announcement.data)) ++announcement.told;
  }
  std::uint64_t seen_here() const;
  void leave_lists();

  KeyedDispatcher callbacks_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by KeyedListenerId::list of callbacks_
  boost::intrusive_ptr<BoardState> state_;       // where it was attached last; null: detached
  // The number of this place up to which it has heard all elsewhere. Not raised by rounds, since
  // one within another has the higher number, and ends sooner.
  std::uint64_t floor_ = 0;
  std::uint64_t heard_ = 0;  // the highest number that it has heard here
  SeenNumbers seen_;
};

}  // namespace starbus::entity
