#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/error.hpp"
#include "storage/leveldb/store_env.hpp"
#include "storage/recovery/repair.hpp"

namespace starbus::storage {

/// Its name in the folder of a store.
inline constexpr const char* kDamageFile = "DAMAGE";

/// Replaces FOLDER/NAME as one step: the bytes are on the disk under another name before the
/// rename. store_full, io_error.
Result<> replace_file(StoreEnv& env, const std::string& folder, const std::string& name,
                      std::string_view bytes);
/// Writes FOLDER/NAME, and waits for the disk. store_full, io_error.
Result<> write_file(StoreEnv& env, const std::string& folder, const std::string& name,
                    std::string_view bytes);

/// The file DAMAGE of a store's folder. For the holder of the folder's lock. Blocks. One thread.
class DamageFile {
 public:
  DamageFile(StoreEnv& env, std::string folder) : env_(env), folder_(std::move(folder)) {}

  /// Adds a note, with the time of now if it has none, and waits for the disk.
  Result<> add(DamageNote note);
  Result<> write(const std::vector<DamageNote>& notes);
  /// The notes that this object has added.
  const std::vector<DamageNote>& added() const { return added_; }

 private:
  StoreEnv& env_;
  const std::string folder_;
  std::vector<DamageNote> added_;
};

}  // namespace starbus::storage
