/// The requests of a client whose fate is not known, and what each frame of the gate says of them:
/// the table "Requests" of docs/reference/client-protocol.md. sans-IO; owned by one session, in its
/// thread. Fates are returned, not told: the session tells them when its own state is in order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "clients/cpp/frames.hpp"

namespace starbus::game {

/// What has become of a request.
enum class Fate : std::uint8_t {
  replied = 1,     ///< the answer is there
  reply_lost = 2,  ///< it was begun, and its reply is gone
  not_begun = 3,   ///< it was not begun, and will not be: ask again, or not
  unknown = 4,     ///< nobody can say
};
std::string_view name_of(Fate fate);

/// How a request has ended; the answer is a view that is good during the callback.
struct Outcome {
  std::uint64_t u = 0;
  Fate fate = Fate::unknown;
  ByteView answer{};  // of `replied`, as the RPC guide has it
};
/// Called once for each request. Must not throw, and may ask again.
using Told = std::function<void(const Outcome&)>;

/// An outcome that is to be told.
struct Ending {
  Outcome outcome{};
  Told told;
};

/// See above.
class Requests {
 public:
  /// A request that was asked under `bind`.
  struct Open {
    Bind bind{};
    Bytes body;
    Told told;
  };

  /// No room, or no number, for another one.
  bool full() const;
  /// Numbers a request; there must be room.
  std::uint64_t add(Bind bind, ByteView body, Told told);
  std::size_t size() const { return open_.size(); }
  std::uint64_t next() const { return next_; }

  /// Nothing if no such request is open.
  std::vector<Ending> replied(const Reply& reply);
  /// `new_bind`: the client has not seen the bind of this state before.
  std::vector<Ending> state(const FullState& state, bool new_bind);
  std::vector<Ending> ended(const Ended& ended);
  /// All end as unknown; the next one has the number 1.
  std::vector<Ending> lost();

  /// Calls `say(u, request)` for those behind `up_seen` that were asked under `bind`, in order.
  template <class Say>
  void each_behind(std::uint64_t up_seen, const Bind& bind, Say say) const {
    for (auto at = open_.upper_bound(up_seen); at != open_.end(); ++at) {
      if (at->second.bind == bind) say(at->first, at->second);
    }
  }

 private:
  using Table = std::map<std::uint64_t, Open>;
  Table::iterator end(Table::iterator at, Fate fate, std::vector<Ending>& endings);

  Table open_;
  std::uint64_t next_ = 1;
};

}  // namespace starbus::game
