#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "storage/database.hpp"

namespace starbus::storage {

/// A thread that compacts ranges, one after the other: LevelDB's call lasts until the range is
/// done, which nobody else should wait for. Any thread may hint; at most kCompactHints wait.
class Compactor {
 public:
  /// `database` must outlive it.
  explicit Compactor(Database& database);
  /// As stop().
  ~Compactor();

  void hint(std::string from, std::string to);
  /// Waits until none runs, and lets none begin until resume().
  void pause();
  void resume();
  /// Waits for the one that runs; those that wait are dropped.
  void stop();

 private:
  struct Range {
    std::string from;
    std::string to;  // empty: the end
  };
  void run();

  Database& database_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Range> waiting_;
  bool running_ = false;
  bool paused_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace starbus::storage
