#pragma once

#include <string_view>

#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

/// Writes much to a store, in batches that each are on the disk before the next begins; so what it
/// is told first is never there without what came before. Blocks. One thread, and not one of the
/// store's.
class BulkWriter {
 public:
  static constexpr std::size_t kBytes = 4 * 1024 * 1024;  // of a batch: what one fsync is worth
  static constexpr std::size_t kOperations = 8'192;

  explicit BulkWriter(storage::Store& store) : store_(store) {}

  storage::Result<> put(std::string_view key, std::string_view value);
  storage::Result<> erase(std::string_view key);
  struct Row {
    std::string_view key;
    std::string_view value;
  };
  /// Both or neither.
  storage::Result<> put_together(const Row& first, const Row& second);
  /// Everything so far is on the disk.
  storage::Result<> flush();

 private:
  storage::Result<> make_room(std::size_t bytes);

  storage::Store& store_;
  storage::Batch batch_;
};

/// Commits and waits.
storage::Result<> commit_and_wait(storage::Store& store, storage::Batch batch);

}  // namespace starbus::bus::busd::mail
