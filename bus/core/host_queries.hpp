/// Admin requests of this host that other daemons are to answer: each ends, with the answer, with
/// unreachable, or with deadline. Sans-IO, one thread; callbacks must not call back into the
/// router.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "bus/core/lanes.hpp"
#include "bus/core/record.hpp"

namespace starbus::bus {

class HostQueries {
 public:
  static constexpr Time kTimeout = std::chrono::seconds(3);
  using Callback = std::function<void(Result<Answer>)>;

  std::uint64_t add(Callback callback, Time now) {
    pending_.emplace(++last_, Pending{std::move(callback), now + kTimeout});
    return last_;
  }
  void on_answer(Answer answer) {
    const auto found = pending_.find(answer.number);
    if (found == pending_.end()) return;
    const Callback callback = std::move(found->second.callback);
    pending_.erase(found);
    callback(std::move(answer));
  }
  void tick(Time now) {
    // In order of number, so in order of deadline.
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
