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

/// One thing that the disk has done to the files of a store, and that was mended: by open_store, of
/// a log, or by repair_store. It stays noted in FOLDER/DAMAGE until acknowledge_damage.
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
  bool lost = false;     ///< false: the bytes that were wrong are right again, nothing is lost
  bool settled = false;  ///< whoever has the store has made good what is lost: settle_damage
  /// Which operations of a log are gone, as writes are counted; 0: not known, or none.
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
/// Writes these, as they were read, perhaps with more ranges, in the place of those that there are:
/// what is lost has been made good. For whoever has the store; one at a time.
Result<> settle_damage(const StoreOptions& options, std::vector<DamageNote> notes);
/// Somebody has read them: the file goes to FOLDER/lost under the time of now. Likewise.
Result<> acknowledge_damage(const StoreOptions& options);

/// Whether repair_store is for that: damage, or a table that is gone, which is an io_error while
/// the store is open. Not for a disk that fails.
bool can_be_repaired(const Error& reason);

struct RepairOptions {
  /// A disk that cannot read a sector may be able to tomorrow: false ends the repair with io_error
  /// there, true leaves out what cannot be read.
  bool leave_unreadable_out = true;
  /// Where so many tables are gone, it is not a disk that has lost one: somebody is copying the
  /// folder, or has mounted another. corrupt beyond that, with nothing changed.
  std::size_t most_gone_tables = ~std::size_t{0};
};

/// For a folder that open_store calls corrupt, or whose store stopped as corrupt. One wrong byte is
/// put right by the checksum beside it, in any file; of a table the damaged blocks are left out,
/// and all others stay as they are. Where the manifest cannot be read, a new one is built from all
/// tables and logs. Originals go to FOLDER/lost; DAMAGE says what is lost. What a lost block had
/// erased may be back; so may the rest of a large erased range, if the list of those is lost.
/// in_use, store_full, corrupt, io_error. Blocks: it reads all tables.
Result<> repair_store(const StoreOptions& options, const RepairOptions& repair = {});

}  // namespace starbus::storage
