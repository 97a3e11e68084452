#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "mail/limits.hpp"
#include "mail/repair/backup.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// Answers questions of operators about a store in use, one after the other on a thread of its own,
/// so that disk reads never delay messages; a backup has another thread. Any thread may ask. The
/// store is not owned. The destructor ends both threads and waits for that.
class Queries {
 public:
  explicit Queries(storage::Store& store);
  ~Queries();
  Queries(const Queries&) = delete;
  Queries& operator=(const Queries&) = delete;

  /// Called on the queries's thread with a snapshot, or with why there is none; `closed` when the
  /// queries goes, on the thread that ends it.
  using Question = std::function<void(const storage::Result<const storage::Snapshot*>&)>;
  /// Returns false if too many wait.
  bool ask(Question question);

  enum class BackupState : std::uint8_t { none, running, done, failed };
  struct Backup {
    BackupState state = BackupState::none;
    std::string to;
    BackupFacts facts;     // so far
    storage::Error error;  // of one that failed
  };
  /// Returns at once. would_block: one is running; bad_batch: not an absolute path.
  storage::Result<> begin_backup(const std::filesystem::path& to, const std::string& host);
  void stop_backup() { backup_stops_ = true; }
  /// The latest.
  Backup backup() const;

 private:
  void work();
  void copy(const std::filesystem::path& to, const BackupFacts& begun);

  storage::Store& store_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> questions_;
  bool ending_ = false;
  Backup backup_;
  std::atomic<bool> backup_stops_{false};
  std::thread backup_thread_;
  std::thread thread_;
};

std::string_view name_of(Queries::BackupState state);

}  // namespace starbus::mail
