#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "bus/io/limits.hpp"
#include "bus/io/strangers/packet_filter.hpp"

namespace starbus::bus::io {

/// The connections at a listener whose peers have no session yet, counted by source, and the
/// sources that are not heard for a while because they had too many. Descriptors are numbers here:
/// it neither owns nor uses them. The clock comes from outside; one thread.
class StrangerTable {
 public:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    int descriptor;
    Source source;
  };
  /// Notes a connection; one of the same number has ended. Returns the one that is to be ended now,
  /// if there are too many: this one, if its source has kStrangersOfAddress, which is shut out
  /// then; otherwise, beyond kStrangers, the oldest one of the source with most.
  std::optional<Connection> add(const Connection& connection, Clock::time_point now);
  /// Forgets a connection that has ended; others are ignored.
  void remove(int descriptor);
  /// Whether one more connection of this source would be too many.
  bool is_full(const Source& source) const;
  /// Forgets the connections of a source for which `lives` returns false.
  void review(const Source& source, const std::function<bool(int descriptor)>& lives);
  std::size_t size() const { return open_.size(); }

  bool is_shut_out(const Source& source) const;
  /// The sources that are shut out, the one that was first first.
  std::vector<Source> shut_out() const;
  /// Hears those again whose kShutOut is over. True if there were any.
  bool hear_again(Clock::time_point now);

 private:
  struct Open {
    Source source;
    std::uint64_t number;  // in the order of arrival
  };
  using Numbers = std::map<std::uint64_t, int>;  // descriptors, the oldest first
  struct ShutOut {
    Source source;
    Clock::time_point until;
  };
  Connection oldest_of_greatest() const;
  /// Keeps by_count_ in step with by_source_.
  template <class Change>
  void change(const Source& source, const Change& change);
  void shut(const Source& source, Clock::time_point now);

  std::map<int, Open> open_;
  std::map<Source, Numbers> by_source_;
  std::set<std::pair<std::size_t, Source>> by_count_;
  std::uint64_t arrived_ = 0;
  std::deque<ShutOut> shut_out_;  // the first one ends first
};

}  // namespace starbus::bus::io
