#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

/// When the oldest message was stored that waits in a mailbox for its reader (logs keep theirs as
/// long as they are told to). Nothing on the disk has that sorted, so a thread of its own walks
/// through the mailboxes without end, kPage at a time with rests of at least kRest, and nine times
/// as long as a page took: a tenth of a disk at most. So what it says is as old as a round: 1 s for
/// each 640 mailboxes. Not owned: the store. Ends the thread when it goes, within the time of one
/// page.
class OldestMail {
 public:
  static constexpr std::size_t kPage = 64;  // mailboxes
  static constexpr std::chrono::milliseconds kRest{100};
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

}  // namespace starbus::bus::busd::mail
