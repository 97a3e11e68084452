/// The state of a LogFeed: the latest messages of one log, and the place of each listener.
///
/// A listener is given every message after its cursor, once and in order of number: from the ring
/// of the latest if that reaches down to its cursor, else from a page that was read at the store.
/// The cursor moves before the message is given, so a handler that saves or moves its object takes
/// the message along as executed. Bounded: kFeedMessages and kFeedBytes of messages, one page,
/// kFeedListeners. Pure: no clock, no I/O; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "bus/client/mailbox.hpp"

namespace starbus::bus {

class FeedBook {
 public:
  using Id = std::uint64_t;
  struct Delivery {
    Id to = 0;
    std::shared_ptr<const Mail> mail;
  };

  // --- the log ---
  /// The feed follows from after this number; listeners that joined at the present begin there.
  void open(std::uint64_t position);
  bool is_open() const { return open_; }
  /// The next message that was followed. Numbers between it and the one before are not kept.
  void append(Mail mail);
  /// A page of the store from `wanted()` on. False: the store has less than has been followed
  /// already, so it helps no listener (the store is an older copy of itself).
  bool page(std::uint64_t from, LogPage page);
  /// Number of the latest message; 0 while it is not open.
  std::uint64_t position() const { return position_; }

  // --- listeners ---
  /// The place of a listener, shared with its holder.
  struct Place {
    std::uint64_t cursor = 0;  // LogOptions::kFromEnd: it begins where open() says
    std::uint64_t missed = 0;  // messages that the log did not keep until it came to them
  };
  /// would_block: kFeedListeners are there.
  Result<Id> add(std::shared_ptr<Place> place);
  void remove(Id id) { listeners_.erase(id); }
  std::size_t listeners() const { return listeners_.size(); }

  // --- what to do ---
  /// The next message for a listener, whose cursor has moved. Each listener gets kFeedBurst, then
  /// the next one has its turn.
  std::optional<Delivery> next();
  /// The first number of a page without which a listener cannot go on; ask when next() has nothing.
  /// If there are several such listeners, each has its turn.
  std::optional<std::uint64_t> wanted();

 private:
  using Listeners = std::map<Id, std::shared_ptr<Place>>;
  using Messages = std::deque<std::shared_ptr<const Mail>>;

  /// All messages after `floor` and up to `top` that are still kept.
  struct Stretch {
    std::uint64_t floor = 0;
    std::uint64_t top = 0;
    Messages messages;
    bool reaches(std::uint64_t cursor) const { return cursor >= floor && cursor < top; }
  };
  const Stretch* stretch_for(std::uint64_t cursor) const;
  static std::shared_ptr<const Mail> give(Place& to, const Stretch& from);
  bool served(const Place& place) const;

  bool open_ = false;
  std::uint64_t position_ = 0;
  Stretch ring_;
  std::size_t ring_bytes_ = 0;
  Stretch page_;
  Listeners listeners_;
  Id last_id_ = 0;
  Id turn_ = 0;            // whose messages next() gives
  std::size_t burst_ = 0;  // of them, in this turn
  std::size_t round_ = 0;  // listeners in a row that could be given nothing
  Id read_for_ = 0;        // the listener that had the last page
};

}  // namespace starbus::bus
