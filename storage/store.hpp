/// storage/: keys that survive power cuts. Read this header first.
///
/// A `Store` is an ordered map from bytes to bytes in one folder. Changes come as batches; a batch
/// completes when it is on the disk, and never before. This file is the contract; the
/// one implementation stands on LevelDB (open_store). docs/design/storage-format.md has the bytes.
///
///   auto store = open_store({.folder = "/var/lib/starbus/mail"});
///   Batch batch;
///   batch.put("mb/7/1", body);
///   auto queued = (*store)->commit(std::move(batch), [](const Result<>& durable) { ... });
///
/// **Group commit.** One writer thread per store takes all batches that are queued, writes them as
/// one, asks the disk once (fsync), and completes them in the order in which they were committed.
///
/// **After a crash** exactly the acknowledged batches are there, plus possibly the next few in
/// order; each whole or not at all.
///
/// **Failures.** A full disk refuses writes (store_full), goes on reading, and recovers by itself;
/// with a little space left it still takes batches that only erase, and bookkeeping
/// (Batch::use_reserve). So does one that gets no descriptor for its next file, or whose call was
/// interrupted. Any other failure of a write or of an fsync stops the store for good, with the
/// reason: the loss of an fsync that failed cannot be found out by asking again. A flipped bit is
/// `corrupt`, with the key; the rest goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/batch.hpp"
#include "storage/error.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {

class DiskEnv;
class StoreEnv;

/// A key with its value; owns both.
struct Record {
  std::string key;
  std::string value;
};

/// How much one page of a scan may hold.
struct PageLimit {
  std::size_t records = kPageRecords;  ///< at least 1 and at most kPageRecords count
  std::size_t bytes = kPageBytes;      ///< of keys and values; the first record always comes
};

/// A part of a range, in order of keys.
struct Page {
  std::vector<Record> records;
  /// Records that could not be read: corrupt, with the key of one record, or (empty key) for a
  /// damaged block with the keys between which records may be missing. At most PageLimit::records
  /// of them, and two more.
  std::vector<Error> damage;
  /// Where the next page begins; no value: the range has been read.
  std::optional<std::string> next;
};

/// The store as it was at one moment, for as long as the object lives. Any thread, one at a time;
/// several snapshots in several threads at once. Blocks for disk reads, never for the writer, but
/// for the moment in which a store that was full is opened again; after that it is `stale`. One
/// that outlives its store is `closed`. Keep it briefly: it holds erased data on the disk.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  /// No value when there is no such key. corrupt (with the key), io_error, stale, closed;
  /// store_full while a full store could not be opened again.
  virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;
  /// The keys in [from, to), from the beginning; an empty `to` is the end of the store. Damage of
  /// single records is in the page; errors as of get otherwise. Steps over what was erased and not
  /// compacted yet, which costs time as records do, and is in no limit.
  virtual Result<Page> scan(std::string_view from, std::string_view to,
                            PageLimit limit = {}) const = 0;
};

enum class State : std::uint8_t { running, full, stopped, closed };
std::string_view name_of(State state);

/// A copy of figures, for metrics and operators. Counts are since open.
struct Report {
  State state = State::running;
  Error reason;                      ///< why it is full or stopped
  std::uint64_t committed = 0;       ///< batches that were acknowledged
  std::uint64_t refused = 0;         ///< batches that were not, whether queued or not
  std::uint64_t groups = 0;          ///< writes of LevelDB that were synced
  std::uint64_t syncs = 0;           ///< fsyncs of all files, LevelDB's own included
  std::uint64_t queued_batches = 0;  ///< committed and not yet completed
  std::uint64_t queued_bytes = 0;
  std::uint64_t erasing_ranges = 0;  ///< hidden, and being erased in chunks
  std::uint64_t reopened = 0;        ///< after a full disk
  std::uint64_t snapshots = 0;
  /// Repairs of the logs at opening, which are noted, too (DamageNote), and the ends that were left
  /// out: "000007.log: dropping 812 bytes; ...", after a power cut a torn last write, which was
  /// never acknowledged. The first kMaxDamage of each.
  std::vector<std::string> damage;
};

/// A part of a file that differs from the bytes that were written.
struct FileDamage {
  std::string file;    ///< "000007.ldb"; its name only
  std::string from{};  ///< keys of which records may be lost, from here
  std::string to{};    ///< to before this one; the same, or both empty: of none, as in an index
  std::string reason{};
};

/// Callbacks of Store::check_files, on the thread that called it.
struct FileCheck {
  /// So many bytes were read since the last call; a caller that wants them read slowly waits here.
  /// False ends the check.
  std::function<bool(std::uint64_t bytes)> read;
  std::function<void(const FileDamage& damage)> damaged;
};

class Store {
 public:
  /// Called exactly once for each batch that commit took, on the writer's thread, in the order of
  /// the commits. Must return soon and not throw: all that comes later waits. It may call commit;
  /// not close. To go on in an executor of its own, the caller posts from here.
  ///   ok          on the disk
  ///   store_full, stopped, closed   not there, and never will be
  ///   io_error    unknown: a disk that fails does not say what it kept
  using Completion = std::function<void(const Result<>&)>;

  /// As close().
  virtual ~Store() = default;

  /// Any thread; never blocks for the disk. After success the batch belongs to the store and `done`
  /// will be called. After an error nothing was queued, `done` is dropped without a call, and
  /// nothing of the batch is kept: would_block (the queue is full: kQueueBytes, kQueueBatches),
  /// store_full, stopped, closed, too_large, bad_batch.
  virtual Result<> commit(Batch batch, Completion done) = 0;

  /// As Snapshot::get, of now: everything acknowledged, perhaps more. Any thread.
  virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;
  /// Any thread. would_block beyond kMaxSnapshots; errors otherwise as of get.
  virtual Result<std::unique_ptr<Snapshot>> snapshot() const = 0;

  /// Whether something in [from, to) is still being erased in chunks
  /// (docs/design/storage-format.md, "Large erased ranges"): a put there makes all commits wait
  /// until nothing is. Any thread; errors as of get.
  virtual Result<bool> erases(std::string_view from, std::string_view to) const = 0;

  /// A hint that much was erased in [from, to): a thread of the store compacts it, one range after
  /// the other. Large erased ranges do that by themselves. Any thread; returns at once; the hint is
  /// dropped when kCompactHints wait.
  virtual void compact(std::string_view from, std::string_view to) = 0;

  /// Reads all tables once, as they are on the disk now and past every cache, with all checksums,
  /// and looks whether the other files that the store needs are there. It finds damage before a
  /// reader meets it: data that the store has in memory, or files that it has open, can still be
  /// read. Blocks; any thread.
  /// io_error: a file could not be opened, for the moment; closed.
  virtual Result<> check_files(const FileCheck& check) const = 0;

  /// Any thread.
  virtual Report report() const = 0;

  /// Refuses new batches, completes all that are queued (they are written, unless the store is full
  /// or stopped), ends the threads and closes the files. Blocks meanwhile, also for a compaction
  /// that runs. Any thread but a completion's; idempotent.
  virtual void close() = 0;
};

/// Repairs the logs of a store that is closed, whose lock the caller holds. Returns a line for each
/// thing that it did, for Report::damage.
using RepairLogs = Result<std::vector<std::string>> (*)(StoreEnv& env, const std::string& folder);

/// Where a store is and how it behaves. Only `folder` must be set.
struct StoreOptions {
  std::filesystem::path folder;  ///< made if need be (its parent must exist); one store per folder
  /// The file system; not owned, must outlive the store. Null: the real one.
  DiskEnv* env = nullptr;
  std::uint64_t headroom = kHeadroom;  ///< bytes; smaller only for small file systems
  std::uint64_t write_buffer = kWriteBuffer;
  std::chrono::milliseconds space_retry{kSpaceRetry};
  /// Called only if opening finds LevelDB's logs not as they were written, as after a crash: the
  /// function repair_logs of storage/recovery/repair.hpp. Null: such a store is `corrupt`.
  RepairLogs repair_logs = nullptr;
};

/// Opens or makes a store; blocks while LevelDB replays its log. in_use, newer_format, store_full,
/// corrupt (LevelDB's tables or manifest: see repair_store), io_error. With `repair_logs`, a
/// damaged log is not an error: its readable part is recovered, and Report::damage lists the parts
/// that were left out.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

}  // namespace starbus::storage
