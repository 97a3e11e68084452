#pragma once

#include <leveldb/env.h>

#include <cstdint>
#include <string>

namespace starbus::storage {

/// The disk of a store: LevelDB's Env and some calls that LevelDB does not have. Tests replace it
/// by a disk that fails (storage/testing/fault_env.hpp). Any thread; outlives its stores. Errors
/// are LevelDB's Status values.
class DiskEnv : public leveldb::EnvWrapper {
 public:
  /// `target` is not owned.
  explicit DiskEnv(leveldb::Env* target = leveldb::Env::Default()) : EnvWrapper(target) {}

  /// Opens a table. It is read and not mapped, as LevelDB's own would be: under a mapping, a bad
  /// sector or a file that has been cut is not an error, but the end of the process (SIGBUS). And
  /// blocks whose checksum has been verified stay in LevelDB's cache.
  leveldb::Status NewRandomAccessFile(const std::string& path,
                                      leveldb::RandomAccessFile** file) override;
  /// Makes the names in the folder durable: files made, renamed and removed so far.
  virtual leveldb::Status sync_folder(const std::string& folder);
  /// The next reads of the file are to ask the disk, and not the system's memory, which still has
  /// what a disk has lost. Advice.
  virtual void forget_cached(const std::string& path);
  /// Bytes that a process without privileges may still use on the folder's file system.
  virtual leveldb::Status available(const std::string& folder, std::uint64_t* bytes);
};

/// `env`, or the real one if it is null.
DiskEnv& disk_or_real(DiskEnv* env);

/// "IO error: PATH: No space left on device", as LevelDB words it.
leveldb::Status status_of_errno(const std::string& path, int error);

}  // namespace starbus::storage
