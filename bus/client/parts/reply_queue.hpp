/// Sends the answers to calls, and keeps those that find no room: in order per caller and lane,
/// until the origin has room for them. Bounded per caller and in all: beyond kKeptReplyBytes a
/// failure takes the place of a reply, so that its caller need not wait for its deadline.
///
/// Owns the answers that it keeps. Refers to the origin, which outlives it; one thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>

#include "bus/client/envelope.hpp"
#include "bus/core/origin/origin.hpp"

namespace starbus::bus {

class ReplyQueue {
 public:
  explicit ReplyQueue(Origin& origin) : origin_(origin) {}

  /// What became of an answer.
  enum class Fate : std::uint8_t {
    sent,      // in the custody of the origin
    kept,      // until there is room
    replaced,  // a failure is sent or kept in its place
    dropped,   // nothing reaches the caller
  };
  /// Takes an answer to a caller's process channel. too_large.
  Result<Fate> send(const Destination& to, Lane lane, const Envelope& envelope, ByteView body);
  /// The origin has more room: sends what it takes. Returns the bytes.
  std::size_t on_room();
  /// Answers that wait.
  std::size_t kept() const { return kept_; }
  /// Forgets all that wait, and returns their number per channel and lane.
  struct Forgotten {
    ChannelId channel;
    Lane lane = Lane::call;
    std::size_t replies = 0;
  };
  std::vector<Forgotten> clear();

 private:
  struct Kept {
    Lineage lineage;
    Bytes head;
    Bytes body;
    std::size_t charge() const;
  };
  struct Caller {
    std::deque<Kept> replies;
    std::size_t bytes = 0;  // charges
  };
  bool fits(const StreamTable::Key& key, std::size_t charge) const;
  bool keep(const StreamTable::Key& key, Kept reply);
  std::size_t send_front(const StreamTable::Key& key, Caller& caller);

  Origin& origin_;
  boost::unordered_flat_map<StreamTable::Key, Caller, boost::hash<StreamTable::Key>> callers_;
  std::size_t kept_ = 0;
  std::size_t bytes_ = 0;  // charges of all
};

}  // namespace starbus::bus
