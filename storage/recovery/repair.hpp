/// Repairs the files of a store that is closed: one wrong byte is corrected by the checksum beside
/// it, lost blocks and records are left out, and what is lost is noted in FOLDER/DAMAGE with its
/// keys. A library of its own: a store links none of it, and calls it only for damage
/// (StoreOptions::repair_logs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "storage/store.hpp"

namespace starbus::storage {

/// For StoreOptions::repair_logs: keeps the whole records of damaged logs, and notes what is lost.
/// A write that was under way in a crash is not damage, and left to LevelDB.
Result<std::vector<std::string>> repair_logs(StoreEnv& env, const std::string& folder);

/// One damaged place in the files of a store, after its repair by repair_logs or repair_store. It
/// stays in FOLDER/DAMAGE until acknowledge_damage.
struct DamageNote {
  /// Keys [from, to); `to` empty: the end of the store.
  struct Range {
    std::string from;
    std::string to;
    friend bool operator==(const Range&, const Range&) = default;
  };
  std::uint64_t time_ms = 0;  ///< when it was found, of the wall clock
  std::string file;           ///< its name only; the original is in FOLDER/lost
  std::uint64_t from = 0;     ///< of its bytes: [from, to)
  std::uint64_t to = 0;
  bool lost = false;     ///< false: the wrong bytes were corrected, nothing is lost
  bool settled = false;  ///< the store's owner has repaired its own data: settle_damage
  /// How many operations of a log are lost; 0: not known, or none.
  std::uint64_t operations = 0;
  std::vector<Range> ranges{};  ///< where records may be lost, at most kNoteRanges
  /// Records may be lost that are in no range.
  bool elsewhere = false;
  std::string reason{};
  friend bool operator==(const DamageNote&, const DamageNote&) = default;
};

/// The notes of a folder, whether its store is open or not; none if there is no such file.
/// io_error.
Result<std::vector<DamageNote>> read_damage(const StoreOptions& options);
/// Replaces the notes by these, perhaps with more ranges, as settled: the store's owner has
/// repaired its own data. Only one call at a time.
Result<> settle_damage(const StoreOptions& options, std::vector<DamageNote> notes);
/// An operator has read the notes: moves the file to FOLDER/lost, with the time in its name. Only
/// one call at a time.
Result<> acknowledge_damage(const StoreOptions& options);

/// Whether repair_store can help: after damage, or for a missing table, which is an io_error while
/// the store is open; not for a failing disk.
bool can_be_repaired(const Error& reason);

/// How far a repair may go.
struct RepairOptions {
  /// For unreadable sectors, which a disk may read again later: false ends the repair with
  /// io_error, true leaves them out.
  bool leave_unreadable_out = true;
  /// Missing tables beyond this number are `corrupt`, with nothing changed: the disk did not lose
  /// them; the folder is being copied, or another one is mounted.
  std::size_t most_gone_tables = ~std::size_t{0};
};

/// For a folder that open_store calls corrupt, or whose store stopped as corrupt. One wrong byte is
/// corrected by the checksum beside it, in any file; the damaged blocks of a table are left out,
/// and all others stay as they are. If the manifest cannot be read, a new one is built from all
/// tables and logs. Originals go to FOLDER/lost; DAMAGE lists what is lost. Keys that a lost block
/// had erased may be back; so may the rest of a large erased range, if the list of those is lost.
/// in_use, store_full, corrupt, io_error. Blocks: it reads all tables.
Result<> repair_store(const StoreOptions& options, const RepairOptions& repair = {});

}  // namespace starbus::storage
