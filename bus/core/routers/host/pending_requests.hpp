/// Requests of this host's operators that wait for a reply (`Reply` carries `number`). Each ends:
/// with the reply, with unreachable, or with deadline. A reply counts if it is about what was
/// asked: numbers can be guessed. Sans-IO; used by the router's thread; owns the callbacks, which
/// must not call back into the router.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <variant>

#include "bus/core/error.hpp"
#include "bus/core/lanes.hpp"

namespace starbus::bus {

/// `Asked` is what a reply must be about; none if another check says whose reply it is.
template <class Reply, class Asked = std::monostate>
class PendingRequests {
 public:
  /// From the request to `deadline`.
  static constexpr Time kTimeout = std::chrono::seconds(3);
  /// Operators and their scripts wait for each, so few are under way.
  static constexpr std::size_t kMost = 1024;
  using Callback = std::function<void(Result<Reply>)>;

  bool full() const { return pending_.size() >= kMost; }
  /// Returns the number under which the reply must come. Not to be called while `full()`.
  std::uint64_t add(Callback callback, Time now, const Asked& asked = {}) {
    pending_.emplace(++last_, Pending{std::move(callback), now + kTimeout, asked});
    return last_;
  }
  /// Ignored if nothing under its number waits for a reply about this.
  void on_reply(Reply reply, const Asked& about = {}) {
    const auto found = pending_.find(reply.number);
    if (found == pending_.end() || found->second.asked != about) return;
    const Callback callback = std::move(found->second.callback);
    pending_.erase(found);
    callback(std::move(reply));
  }
  /// Ends the requests whose deadline has passed.
  void tick(Time now) {
    // Ordered by number, so by deadline.
    while (!pending_.empty() && pending_.begin()->second.deadline <= now) {
      fail_first({Errc::deadline, "no answer within 3 s"});
    }
  }
  void fail_all(const Error& reason) {
    while (!pending_.empty()) fail_first(reason);
  }
  std::size_t size() const { return pending_.size(); }

 private:
  struct Pending {
    Callback callback;
    Time deadline{};
    Asked asked{};
  };
  void fail_first(const Error& reason) {
    const Callback callback = std::move(pending_.begin()->second.callback);
    pending_.erase(pending_.begin());
    callback(reason);
  }

  std::map<std::uint64_t, Pending> pending_;
  std::uint64_t last_ = 0;
};

}  // namespace starbus::bus
