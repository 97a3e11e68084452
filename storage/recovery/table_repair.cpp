/// The part of FileRepair for tables.
#include <leveldb/table_builder.h>

#include <algorithm>
#include <memory>

#include "base/little_endian.hpp"
#include "storage/check/file_names.hpp"
#include "storage/check/table_keys.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb/leveldb_status.hpp"
#include "storage/limits.hpp"
#include "storage/recovery/file_repair.hpp"
#include "storage/recovery/table_salvage.hpp"

namespace starbus::storage {
namespace {

/// The key as it stands in a table, for an erasing with this place among all writes.
std::string erased_key(std::string_view key, std::uint64_t sequence) {
  std::string bytes(key);
  bytes += '\0';  // the kind: erased
  append_little(bytes, sequence, 7);
  return bytes;
}

DamageNote::Range range_of(const ManifestTable& table) {
  return {user_key(table.first), user_key(table.last) + '\0'};
}

DamageNote::Range range_of(const ManifestTable& table, const LostBlock& block) {
  DamageNote::Range range = range_of(table);
  if (!block.first_key.empty()) range.from = block.first_key;
  if (!block.end_key.empty() && block.end_key < range.to) range.to = block.end_key;
  return range;
}

}  // namespace

Result<> FileRepair::repair_tables(Manifest& manifest, const RepairOptions& options,
                                   bool& changed) {
  for (ManifestTable& table : manifest.tables) {
    if (auto repaired = repair_table(table, options, changed); !repaired) return repaired;
  }
  std::erase_if(manifest.tables, [](const ManifestTable& table) { return table.bytes == 0; });
  return {};
}

/// Sets the table's size to 0 if nothing is left of it.
Result<> FileRepair::repair_table(ManifestTable& table, const RepairOptions& options,
                                  bool& changed) {
  const std::string name = table_name(table);
  TableReading reading;
  if (env_.FileExists(path(name))) {
    env_.disk().forget_cached(path(name));
    auto bytes = read(name, options.leave_unreadable_out);
    if (!bytes) return bytes.error();
    reading = read_table(std::move(*bytes), table.bytes);
    if (reading.is_sound()) return {};
  } else {
    reading.reason = "the file is gone";
    reading.lost.push_back({0, table.bytes, {}, {}});
  }
  if (reading.has_compressed && !reading.is_whole()) {
    return Error(Errc::corrupt, name + " is damaged, and not as stores write tables");
  }
  // All rows were found, but not by the index.
  const bool all_rows =
      reading.without_index && !reading.rows.empty() && reading.rows.back().first == table.last;
  if (all_rows) reading.lost.clear();
  const std::string kept = env_.FileExists(path(name)) ? keep_aside(name) : "";
  if (auto noted = note_lost(table, reading, name, kept); !noted) return noted;
  if (reading.is_whole()) return replace(name, reading.bytes);
  changed = true;
  return rebuild(table, reading);
}

Result<> FileRepair::note_lost(const ManifestTable& table, const TableReading& reading,
                               const std::string& name, const std::string& kept) {
  DamageNote one;
  one.file = name;
  one.reason = reading.reason + kept;
  for (const std::size_t at : reading.corrected) {
    one.from = at;
    one.to = at + 1;
    if (auto noted = note(one); !noted) return noted;
  }
  for (const LostBlock& block : reading.lost) {
    one.from = block.from;
    one.to = block.to;
    one.lost = true;
    one.ranges = {range_of(table, block)};
    if (auto noted = note(one); !noted) return noted;
  }
  if (!reading.lost.empty() || !reading.corrected.empty()) return {};
  one.to = table.bytes;
  return note(one);
}

/// Writes the remaining rows to a new table that replaces the old one.
Result<> FileRepair::rebuild(ManifestTable& table, TableReading& reading) {
  // Where the newest list of erased ranges is lost, an older one would come up, and erase what was
  // put since. Erased keys that are back are the smaller harm.
  const bool list_is_lost = std::ranges::any_of(reading.lost, [&](const LostBlock& block) {
    const DamageNote::Range range = range_of(table, block);
    return range.from <= kErasingKey && kErasingKey < range.to;
  });
  if (list_is_lost) {
    const std::string key = erased_key(kErasingKey, last_sequence_);
    const auto at = std::ranges::find_if(reading.rows, [&](const auto& row) {
      return table_order().Compare(to_slice(key), to_slice(row.first)) < 0;
    });
    reading.rows.insert(at, {key, ""});
  }
  if (reading.rows.empty()) {
    table.bytes = 0;
    return {};
  }
  const std::uint64_t number = next_file_++;
  leveldb::WritableFile* made = nullptr;
  leveldb::Status status = env_.NewWritableFile(path(table_file_name(number)), &made);
  if (!status.ok()) return error_of(status);
  const std::unique_ptr<leveldb::WritableFile> file(made);
  leveldb::TableBuilder builder(table_options(env_), file.get());
  for (const auto& [key, value] : reading.rows) builder.Add(to_slice(key), to_slice(value));
  status = builder.Finish();
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file->Close();
  if (!status.ok()) return error_of(status);
  table.number = number;
  table.bytes = builder.FileSize();
  table.first = reading.rows.front().first;
  table.last = reading.rows.back().first;
  return {};
}

}  // namespace starbus::storage
