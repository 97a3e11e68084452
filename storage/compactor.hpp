#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "storage/database.hpp"
#include "storage/erasing_ranges.hpp"

namespace starbus::storage {

/// A thread that compacts erased ranges, one piece after the other: LevelDB's call lasts until the
/// piece is done, and no other thread should wait for that. It also writes out what is in memory
/// and comes before LevelDB's own compactions, so pieces have kCompactKeys, with pauses between
/// them; smaller ones wait for their neighbours, or until nothing else is to do. Any thread may
/// hint; at most kCompactHints wait.
class Compactor {
 public:
  /// `database` must outlive it.
  explicit Compactor(Database& database);
  /// As stop().
  ~Compactor();

  /// Queues a piece, joined with the one that it follows. Beyond kCompactHints the smallest is
  /// dropped.
  void hint(ErasedPiece piece);
  /// Whether something waits for `idle`.
  bool waits() const;
  /// Pieces that wait.
  std::size_t waiting() const;
  /// Nothing else is to do: everything that waits is compacted now.
  void idle();
  /// The whole store, once: small pieces are not remembered, and together they may be most of it.
  void everything();
  /// Waits until none runs, and lets none begin until resume().
  void pause();
  void resume();
  /// Waits for the one that runs; those that wait are dropped.
  void stop();

 private:
  /// No value: nothing is to be compacted now.
  std::optional<ErasedPiece> next();
  void run();

  Database& database_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ErasedPiece> waiting_;
  bool all_ = false;         // also the small ones
  bool everything_ = false;  // asked for, and not begun
  bool running_ = false;
  bool paused_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace starbus::storage
