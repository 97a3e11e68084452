/// Logs, manifests and tables as a disk gives them back, and the notes of what it has done.
#include <string>

#include "storage/check/file_names.hpp"
#include "storage/check/table_keys.hpp"
#include "storage/limits.hpp"
#include "storage/recovery/batch_bytes.hpp"
#include "storage/recovery/damage_note.hpp"
#include "storage/recovery/log_file.hpp"
#include "storage/recovery/manifest.hpp"
#include "storage/recovery/table_check.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus::storage;
using starbus::bus::require;

/// Records and holes do not overlap, are within the file, and what is read is read again the same.
void check_log(std::string_view file) {
  const LogReading reading = read_log(file, is_sound_batch);
  LogWriter writer;
  std::size_t end = 0;
  for (const LogRecord& record : reading.records) {
    require(record.from >= end && record.to > record.from && record.to <= file.size());
    end = record.to;
    writer.add(record.bytes);
  }
  for (const LogHole& hole : reading.holes) require(hole.from < hole.to && hole.to <= end);
  if (reading.tail) require(reading.tail->from >= end && reading.tail->to <= file.size());
  const LogReading again = read_log(writer.bytes(), is_sound_batch);
  require(again.records.size() == reading.records.size() && again.holes.empty() && !again.tail);
  for (std::size_t i = 0; i < again.records.size(); ++i) {
    require(again.records[i].bytes == reading.records[i].bytes);
  }
}

void check_manifest(std::string_view text) {
  Manifest manifest;
  if (apply_edit(text, manifest)) {
    Manifest again;
    require(apply_edit(encode(manifest), again));
    require(again.tables.size() == manifest.tables.size());
    require(again.next_file == manifest.next_file);
  }
  (void)read_manifest(text);
  if (const auto name = read_current(text)) require(*name + "\n" == text);
}

void check_notes(std::string_view text) {
  const std::vector<DamageNote> notes = decode_damage(text);
  require(notes.size() <= kDamageNotes);
  require(decode_damage(encode(notes)).size() == notes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_log(text);
  check_manifest(text);
  check_notes(text);
  for (const std::uint64_t expected : {std::uint64_t{size}, std::uint64_t{size} / 2}) {
    const TableReading table = read_table(std::string(text), expected);
    for (const auto& [key, value] : table.rows) require(key.size() <= size + kTableKeyTrailer);
  }
  return 0;
}
