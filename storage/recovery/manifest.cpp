#include "storage/recovery/manifest.hpp"

#include <algorithm>

#include "storage/check/varint.hpp"
#include "storage/check/version_edit.hpp"
#include "storage/recovery/log_file.hpp"

namespace starbus::storage {

bool apply_edit(std::string_view bytes, Manifest& manifest) {
  const auto edit = read_edit(bytes);
  if (!edit) return false;
  if (edit->comparator) manifest.comparator = *edit->comparator;
  manifest.log_number = edit->log_number.value_or(manifest.log_number);
  manifest.previous_log = edit->previous_log.value_or(manifest.previous_log);
  manifest.next_file = edit->next_file.value_or(manifest.next_file);
  manifest.last_sequence = edit->last_sequence.value_or(manifest.last_sequence);
  for (const auto& [level, number] : edit->deleted) {
    std::erase_if(manifest.tables, [&, level = level, number = number](const auto& table) {
      return table.level == level && table.number == number;
    });
  }
  for (const VersionEdit::Table& table : edit->added) {
    manifest.tables.push_back({table.level, table.number, table.bytes, std::string(table.first),
                               std::string(table.last)});
  }
  return true;
}

std::string encode(const Manifest& manifest) {
  std::string edit;
  const auto number = [&](EditTag tag, std::uint64_t value) {
    put_varint(edit, static_cast<std::uint64_t>(tag));
    put_varint(edit, value);
  };
  put_varint(edit, static_cast<std::uint64_t>(EditTag::comparator));
  put_slice(edit, manifest.comparator);
  number(EditTag::log_number, manifest.log_number);
  number(EditTag::previous_log, manifest.previous_log);
  number(EditTag::next_file, manifest.next_file);
  number(EditTag::last_sequence, manifest.last_sequence);
  for (const ManifestTable& table : manifest.tables) {
    number(EditTag::new_table, table.level);
    put_varint(edit, table.number);
    put_varint(edit, table.bytes);
    put_slice(edit, table.first);
    put_slice(edit, table.last);
  }
  return edit;
}

std::optional<ManifestReading> read_manifest(std::string_view file) {
  const auto is_edit = [](std::string_view bytes) {
    Manifest nothing;
    return apply_edit(bytes, nothing);
  };
  const LogReading log = read_log(file, is_edit);
  if (!log.holes.empty()) return std::nullopt;
  ManifestReading reading;
  reading.torn = log.tail.has_value();
  for (const LogRecord& record : log.records) {
    reading.corrected = reading.corrected || !record.corrected.empty();
    if (!apply_edit(record.bytes, reading.manifest)) return std::nullopt;
  }
  if (reading.manifest.comparator.empty() || reading.manifest.next_file == 0) return std::nullopt;
  return reading;
}

}  // namespace starbus::storage
