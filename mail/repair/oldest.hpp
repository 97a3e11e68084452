#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "mail/limits.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// The age of the oldest message that waits in a mailbox (logs are left out: they keep messages by
/// their quota). The disk has no index of that, so a thread scans the mailboxes round after round,
/// kOldestPage at a time, and rests at least kOldestRest and nine times as long as a page took: a
/// tenth of a disk at most. The result is as old as one round: 1 s for each 640 mailboxes. The
/// store is not owned. The destructor ends the thread within the time of one page.
class OldestMail {
 public:
  /// Times the duration of a page: for so long it rests.
  static constexpr int kRestShare = 9;

  explicit OldestMail(const storage::Store& store);
  ~OldestMail();
  OldestMail(const OldestMail&) = delete;
  OldestMail& operator=(const OldestMail&) = delete;

  /// Of the wall clock, in ms; 0: nothing waits, as far as it is known. Of the latest whole round,
  /// and of the present one where that is older. Any thread.
  std::uint64_t time_ms() const;

 private:
  void run();
  void look_at_page();
  std::optional<std::uint64_t> oldest_of(const storage::Snapshot& snapshot,
                                         const storage::Record& record) const;

  const storage::Store& store_;
  std::string from_;  // where the next page begins; of the thread
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::uint64_t latest_ms_ = 0;   // of the latest whole round
  std::uint64_t present_ms_ = 0;  // of the present one so far
  std::thread thread_;
};

}  // namespace starbus::mail
