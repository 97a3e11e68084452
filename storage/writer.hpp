#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "storage/commit_queue.hpp"
#include "storage/compactor.hpp"
#include "storage/database.hpp"
#include "storage/erase_pace.hpp"
#include "storage/erasing_ranges.hpp"
#include "storage/error.hpp"
#include "storage/store.hpp"

namespace starbus::storage {

/// The thread that writes: takes the queue, writes it as one, syncs once, completes in order. It
/// alone writes to the DB, opens it again after a full disk, and decides on the state of the store.
/// Other threads only queue and look.
class Writer {
 public:
  /// `database` must outlive it. `open_ranges` was loaded from the database.
  Writer(Database& database, const StoreOptions& options, ErasingRanges open_ranges);
  /// As close().
  ~Writer();

  /// As Store::commit. Any thread.
  Result<> commit(Batch&& batch, Store::Completion&& done);
  /// As Store::compact. Any thread.
  void compact(std::string from, std::string to) {
    compactor_.hint({std::move(from), std::move(to), kCompactKeys});
  }
  /// Any thread but the writer's.
  void close();

  /// True while readers must look for hidden ranges.
  bool hides_ranges() const { return hidden_ != 0; }
  Report report() const;

 private:
  void run();
  std::optional<std::chrono::steady_clock::duration> patience() const;
  void write(std::span<Commit> commits);
  std::size_t write_some(std::span<Commit> commits);
  void erase_chunk();
  Result<> erase_hidden(leveldb::DB& db, const Batch& for_batch);
  Result<> sync(leveldb::DB& db, leveldb::WriteBatch& batch);
  void complete(std::span<Commit> commits, const std::vector<Result<>>& outcomes);
  Result<> may_write(const Batch& batch) const;
  bool may_erase() const;

  void look_for_space();
  void give_back_space(std::span<const Commit> next);
  std::uint64_t free_bytes() const;
  void reopen();
  bool probe_space();
  void stop(Error reason);
  void set_state(State state, Error reason, bool reserve_open = false);
  State state() const;

  Database& database_;
  const std::uint64_t headroom_;
  const std::chrono::milliseconds space_retry_;
  CommitQueue queue_;
  Compactor compactor_;

  // Used by the writer's thread.
  ErasingRanges ranges_;
  ErasePace pace_;
  bool broken_ = false;  // LevelDB has met the full disk: it must be opened again
  /// Since all was compacted, or perhaps before the start: it takes space until LevelDB comes by.
  bool erased_ = true;

  // For all.
  std::atomic<std::size_t> hidden_;
  std::atomic<std::uint64_t> committed_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> groups_{0};
  std::atomic<std::uint64_t> reopened_{0};
  mutable std::mutex state_mutex_;
  State state_ = State::running;
  Error reason_;
  bool reserve_open_ = false;  // while full: the disk has not come to the last of the headroom
  std::mutex close_mutex_;
  std::thread thread_;
};

}  // namespace starbus::storage
