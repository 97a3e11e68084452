#pragma once

#include <leveldb/env.h>

#include <cstdint>
#include <string>

namespace starbus::storage {

/// The disk, as a store sees it: LevelDB's Env, and two things that LevelDB does not ask for. Tests
/// put a disk that fails in its place (storage/testing/fault_env.hpp). Any thread; outlives its
/// stores. As LevelDB's, its errors are Status values.
class DiskEnv : public leveldb::EnvWrapper {
 public:
  /// `target` is not owned.
  explicit DiskEnv(leveldb::Env* target = leveldb::Env::Default()) : EnvWrapper(target) {}

  /// Reads tables with pread and not, as LevelDB's own, through a mapping: a sector that cannot be
  /// read is then an error of one read and not the end of the program (SIGBUS), and blocks whose
  /// checksum has been verified stay in LevelDB's cache.
  leveldb::Status NewRandomAccessFile(const std::string& path,
                                      leveldb::RandomAccessFile** file) override;
  /// Makes the names in the folder durable: files made, renamed and removed so far.
  virtual leveldb::Status sync_folder(const std::string& folder);
  /// Bytes that a process without privileges may still use on the folder's file system.
  virtual leveldb::Status available(const std::string& folder, std::uint64_t* bytes);
};

/// "IO error: PATH: No space left on device", as LevelDB words it.
leveldb::Status status_of_errno(const std::string& path, int error);

}  // namespace starbus::storage
