/// What the disks have made durable of each log, batch by batch, and what its followers saw:
///   - numbers are 1, 2, 3..., none is given twice, wherever the shard goes and whatever is erased;
///   - retention takes what a bound of the store's present life allows, and nothing else: never
///     what was not on the disk, and never the newest unless it is too old;
///   - a follower sees every number behind its cursor once, in order, and all followers the same
///     message; what it misses had been erased; who joins begins at the end of that moment.
/// What senders were told is MailOracle's: it gets the whole history from here. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mail/quota.hpp"
#include "tests/sim/oracles/mail_oracle.hpp"

namespace starbus::sim {

class LogOracle {
 public:
  using Post = MailOracle::Post;
  using Quota = mail::LogQuota;
  struct Entry {
    Post post = 0;
    std::uint64_t time_ms = 0;
    std::uint64_t bytes = 0;
  };
  struct Bounds {
    std::uint64_t floor = 0;
    std::uint64_t last = 0;
    friend bool operator==(const Bounds&, const Bounds&) = default;
  };

  /// A batch becomes durable that changes a log at the store that keeps it: what that disk had of
  /// it before, what it has now, and what stands behind `before.last`.
  void durable(const std::string& log, const Bounds& before, const Bounds& now,
               const std::vector<Entry>& added, const Quota& quota, std::uint64_t now_ms);
  std::uint64_t last(const std::string& log) const;

  // --- followers: the database of the game, as it were ---
  /// 0 if it has none.
  std::uint64_t cursor(const std::string& follower, const std::string& log) const;
  /// It begins at the end, at `position`, having asked when the latest was `since`.
  void join(const std::string& follower, const std::string& log, std::uint64_t since,
            std::uint64_t position);
  /// How many it has missed.
  std::uint64_t read(const std::string& follower, const std::string& log, std::uint64_t number,
                     Post post);

  // --- the end ---
  /// Is there a message that should have been erased this long ago?
  bool overdue(const std::string& log, const Quota& quota, std::uint64_t now_ms,
               std::uint64_t grace_ms) const;
  /// The disk has all that is not erased, within the bounds: the latest append came when all before
  /// it was durable.
  void check(const std::string& log, const MailOracle::Content& content, const Quota& quota) const;
  MailOracle::Numbered histories() const;

 private:
  struct Log {
    std::uint64_t floor = 0;
    std::vector<Entry> entries;  // number 1 comes first
    Bounds bounds() const { return {floor, entries.size()}; }
    const Entry& at(std::uint64_t number) const { return entries.at(number - 1); }
    std::uint64_t bytes_from(std::uint64_t number) const;
  };
  void check_trim(const std::string& name, const Log& log, const Bounds& before,
                  std::uint64_t floor, const Quota& quota, std::uint64_t now_ms) const;

  std::map<std::string, Log> logs_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> cursors_;  // by follower and log
};

}  // namespace starbus::sim
