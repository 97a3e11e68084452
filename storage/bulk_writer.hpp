#pragma once

#include <string_view>

#include "storage/store.hpp"

namespace starbus::storage {

/// Writes many rows to a store, in batches, each on the disk before the next begins: so a row is
/// never there without the rows before it. Blocks. One thread, not one of the store's.
class BulkWriter {
 public:
  static constexpr std::size_t kBytes = 4 * 1024 * 1024;  // of a batch: what one fsync is worth
  /// Operations of a batch, at most.
  static constexpr std::size_t kOperations = 8'192;

  explicit BulkWriter(Store& store) : store_(store) {}

  /// Adds an operation, and commits what there is once it is large enough. Errors of that commit.
  Result<> put(std::string_view key, std::string_view value);
  Result<> erase(std::string_view key);
  struct Row {
    std::string_view key;
    std::string_view value;
  };
  /// Both or neither.
  Result<> put_together(const Row& first, const Row& second);
  /// Everything so far is on the disk.
  Result<> flush();

 private:
  Result<> make_room(std::size_t bytes);

  Store& store_;
  Batch batch_;
};

/// Commits and waits.
Result<> commit_and_wait(Store& store, Batch batch);

}  // namespace starbus::storage
