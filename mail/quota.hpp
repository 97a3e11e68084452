#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::mail {

/// How long the messages of logs are kept: while all of these hold. 0: no limit of that kind.
struct LogQuota {
  std::string prefix{};  // of the names that it is for
  std::uint64_t messages = 100'000;
  std::uint64_t bytes = 64 * 1024 * 1024;
  std::uint64_t age_ms = 0;
  friend bool operator==(const LogQuota&, const LogQuota&) = default;
};

/// The bounds of a store and of each mailbox and log in it.
struct MailQuota {
  std::uint64_t box_messages = 100'000;
  std::uint64_t box_bytes = 64 * 1024 * 1024;
  // Of the whole store; 0: what the disk has.
  std::uint64_t total_bytes = 0;  // of bodies
  std::uint64_t total_messages = 0;
  std::uint64_t total_boxes = 0;  // mailboxes and logs: each stays, also when it is empty
  std::uint64_t age_ms = 0;       // of messages in mailboxes, then they are dead letters; 0: none
  std::vector<LogQuota> logs{};   // the longest prefix that fits decides

  /// The quota of the log with this name.
  LogQuota of_log(std::string_view name) const {
    LogQuota best;
    for (const LogQuota& quota : logs) {
      const bool fits = name.starts_with(quota.prefix);
      if (fits && quota.prefix.size() >= best.prefix.size()) best = quota;
    }
    return best;
  }
  friend bool operator==(const MailQuota&, const MailQuota&) = default;
};

}  // namespace starbus::mail
