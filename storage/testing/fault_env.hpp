#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/leveldb/disk_env.hpp"

namespace starbus::storage::testing {

/// Calls of a store that change the disk: they are counted and can fail.
enum class Call : std::uint8_t { open, append, sync, rename, remove, sync_folder };
inline constexpr std::size_t kCalls = 6;

/// A disk that fails on command, and that knows what a power cut would leave. It uses real files,
/// but an fsync is only recorded, so that no test waits for a disk. As harsh as POSIX allows: bytes
/// are durable after sync, names (made or renamed) after sync_folder, or after the sync of a
/// manifest, with which LevelDB syncs its folder. Any thread; outlives its stores. One folder per
/// environment.
class FaultEnv : public DiskEnv {
 public:
  FaultEnv() = default;

  /// The `nth` call of this kind from now on (1: the next) fails with errno `error`; `lasting`: all
  /// after it too. `path_end` restricts it to files such as ".log"; calls on others do not count.
  void fail(Call call, std::uint64_t nth, int error, bool lasting = false,
            std::string path_end = {});
  /// From now on every read of a table fails so, as of a bad sector; 0: none.
  void fail_reads(int error) { read_error_ = error; }
  /// From now on none fails, and after a power cut calls come through again.
  void heal();
  /// Calls so far, in all or of one kind.
  std::uint64_t calls() const;
  std::uint64_t calls(Call call) const;

  /// The power goes within the `nth` call from now on, of any kind: it and all later ones fail. An
  /// append that is hit has left the first half of its bytes.
  void cut_power_at(std::uint64_t nth);
  bool power_is_cut() const;

  /// The fate of bytes that were not synced.
  enum class Loss : std::uint8_t {
    all,      // they were never written
    none,     // all came through: a process that was killed
    torn,     // a part from the beginning came through
    garbage,  // the file got its length, but what is there was never written
  };
  /// Brings the files to what a power cut leaves. Close the stores first. `seed` decides where a
  /// file is torn.
  void lose_unsynced(Loss loss, std::uint64_t seed);

  /// From now on syncs succeed and make nothing durable, as disks with a volatile cache do.
  void lie_about_syncs();
  /// How long a sync lasts, for what only a slow disk shows.
  void set_sync_delay(std::chrono::microseconds delay);
  /// The answer of available(); no value: the file system's.
  void set_available(std::optional<std::uint64_t> bytes);

  leveldb::Status NewWritableFile(const std::string& path, leveldb::WritableFile** file) override;
  leveldb::Status NewRandomAccessFile(const std::string& path,
                                      leveldb::RandomAccessFile** file) override;
  leveldb::Status RemoveFile(const std::string& path) override;
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override;
  leveldb::Status sync_folder(const std::string& folder) override;
  leveldb::Status available(const std::string& folder, std::uint64_t* bytes) override;

 private:
  class File;
  class Table;
  struct Fault {
    Call call;
    std::uint64_t nth;
    int error;
    bool lasting;
    std::string path_end;
  };
  struct Content {
    std::uint64_t written = 0;
    std::uint64_t synced = 0;
    bool named = false;  // its name survives
  };
  /// 0, or the errno that the call fails with.
  int count(Call call, const std::string& path);
  void names_are_durable();
  void delay();

  std::atomic<int> read_error_{0};
  mutable std::mutex mutex_;
  std::uint64_t total_ = 0;
  std::uint64_t per_call_[kCalls] = {};
  std::vector<Fault> faults_;
  std::uint64_t cut_in_ = 0;  // calls; 0: none
  bool cut_ = false;
  std::map<std::string, Content> files_;  // since they were made
  /// Renamed over, and the name not durable: what the target had before; no value: nothing.
  std::map<std::string, std::optional<std::string>> renamed_;
  std::optional<std::uint64_t> available_;
  std::chrono::microseconds sync_delay_{0};
  bool lies_ = false;
};

}  // namespace starbus::storage::testing
