/// The login queue: in the order of coming, with places that are kept for clients that were cut off
/// and are told to the others.
///
/// A plain value: one thread at a time; clock in, what to say out. Every call costs the logarithm
/// of the number that waits; step() does a bounded part of what is due. Full: join() says so.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "nodes/login/core/address.hpp"
#include "nodes/login/core/limits.hpp"
#include "nodes/login/core/ranks.hpp"

namespace starbus::nodes::login {

/// Drawn by Admission; never drawn twice.
using AttemptId = std::uint64_t;

class LoginQueue {
 public:
  struct Tell {
    AttemptId id = 0;
    std::uint64_t ahead = 0;
    friend bool operator==(const Tell&, const Tell&) = default;
  };
  /// What step() has found.
  struct Step {
    std::vector<Tell> tells;         // to those who are there
    std::vector<AttemptId> left;     // were cut off for kQueueKeep
    std::vector<AttemptId> expired;  // were there for kQueueLongest
  };

  /// At most so many places, at most kQueuePlaces.
  explicit LoginQueue(std::size_t places = kQueuePlaces)
      : places_(places < kQueuePlaces ? places : kQueuePlaces) {}

  /// Takes the last place. False: there is none.
  bool join(AttemptId id, Time now);
  /// `next` has the place of `id` from now on, and is there. `id` must be in the queue.
  void replace(AttemptId id, AttemptId next, Time now);
  /// Cut off: the place is kept. Ignored if it is not in the queue.
  void gone(AttemptId id, Time now);
  /// False: was not in the queue.
  bool leave(AttemptId id);
  /// The first that is there leaves the queue, and enters.
  std::optional<AttemptId> admit();

  bool contains(AttemptId id) const { return waiting_.contains(id); }
  /// Whether it is in the queue, and not cut off.
  bool present(AttemptId id) const;
  /// How many are before it, cut off or not. It must be in the queue.
  std::uint64_t ahead(AttemptId id) const;
  bool full() const;
  bool anybody() const { return !present_.empty(); }
  std::size_t size() const { return waiting_.size(); }

  /// At most kTellsAtOnce of each kind; call again while next() is not after `now`.
  Step step(Time now);
  /// When step() has something to do; nullopt: not before another call.
  std::optional<Time> next() const;

 private:
  struct Waiting {
    std::uint64_t number = 0;
    Time since{0};
    Time at{0};              // when it was told last; of one that was cut off, since when
    std::uint64_t told = 0;  // the position
    std::uint64_t left = 0;  // left_ at that time
    bool present = true;
    std::list<AttemptId>::iterator place{};  // in told_ or in gone_
  };
  std::uint64_t first() const { return order_.empty() ? next_ : order_.begin()->first; }
  std::uint64_t ahead_of(const Waiting& waiting) const {
    return ranks_.between(first(), waiting.number);
  }
  void appear(AttemptId id, Waiting& waiting, Time now);
  void drop(Waiting& waiting);
  void remove(AttemptId id);
  bool tell_next(Time now, std::vector<Tell>& tells);

  const std::size_t places_;
  std::unordered_map<AttemptId, Waiting> waiting_;
  std::map<std::uint64_t, AttemptId> order_;    // all, by number
  std::map<std::uint64_t, AttemptId> present_;  // those who are there
  std::list<AttemptId> told_;  // those who are there, the one told longest ago first
  std::list<AttemptId> gone_;  // the others, the one gone for longest first
  Ranks ranks_;
  std::uint64_t next_ = 0;  // number
  std::uint64_t left_ = 0;  // how many have left: only then a position changes
};

}  // namespace starbus::nodes::login
