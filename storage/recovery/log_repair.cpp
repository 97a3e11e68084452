/// The part of FileRepair for logs.
#include <algorithm>

#include "storage/check/file_names.hpp"
#include "storage/envelope.hpp"
#include "storage/recovery/batch_bytes.hpp"
#include "storage/recovery/file_repair.hpp"
#include "storage/recovery/log_file.hpp"

namespace starbus::storage {
namespace {

/// Keys and sound operations found in a hole.
struct Remains {
  std::vector<DamageNote::Range> ranges;  // of keys that it may have been about
  std::uint64_t sure = 0;  // operations whose values are sound, and so vouch for their keys
};

Remains remains_of(const LogHole& hole) {
  Remains remains;
  std::set<std::string> keys;
  for (const std::string& part : hole.parts) {
    (void)read_batch(part, [&](const BatchEntry& entry) {
      const bool is_key = !entry.key.empty() && entry.key.size() <= kMaxKey;
      if (is_key && keys.size() <= kNoteRanges) keys.emplace(entry.key);
      if (entry.put && unseal(entry.key, entry.value)) ++remains.sure;
    });
  }
  for (const std::string& key : keys) remains.ranges.push_back({key, key + '\0'});
  return remains;
}

/// The holes of a log between writes that follow each other by number.
class LogDamage {
 public:
  LogDamage(std::string file, std::uint64_t sequence) : file_(std::move(file)), next_(sequence) {}

  void add(const LogRecord& record) {
    for (const std::size_t at : record.corrected) {
      DamageNote note;
      note.file = file_;
      note.from = at;
      note.to = at + 1;
      note.reason = "a wrong byte was corrected by its checksum";
      notes_.push_back(std::move(note));
    }
    const auto head = read_batch(record.bytes);
    if (!head) return;  // LevelDB's to refuse
    const bool gap = next_ != 0 && head->sequence > next_;
    if (hole_ || gap) lose(record.from, gap ? head->sequence - next_ : 0);
    next_ = head->sequence + head->count;
  }
  void add(const LogHole& hole) { hole_ = &hole; }

  std::vector<DamageNote>& notes() { return notes_; }
  std::uint64_t next() const { return next_; }

 private:
  void lose(std::size_t before, std::uint64_t operations) {
    DamageNote note;
    note.file = file_;
    note.from = hole_ != nullptr ? hole_->from : before;
    note.to = hole_ != nullptr ? hole_->to : before;
    note.lost = true;
    note.operations = operations;
    note.reason = hole_ != nullptr ? hole_->reason : "writes are missing by their numbers";
    Remains remains = hole_ != nullptr ? remains_of(*hole_) : Remains{};
    note.ranges = std::move(remains.ranges);
    // The key of a wrong value may be wrong, too.
    note.elsewhere = operations == 0 || remains.sure != operations;
    notes_.push_back(std::move(note));
    hole_ = nullptr;
  }

  const std::string file_;
  std::uint64_t next_;
  const LogHole* hole_ = nullptr;
  std::vector<DamageNote> notes_;
};

}  // namespace

Result<bool> FileRepair::logs() {
  const auto found = find_manifest(false);
  if (!found) return found.error();
  if (!*found) return false;  // LevelDB says what is wrong with it
  if (!is_usable(**found, 0)) {
    return Error(Errc::corrupt, folder_ + ": the manifest has lost its end; repair the store");
  }
  return repair_logs(**found);
}

Result<bool> FileRepair::repair_logs(const Found& found) {
  const Manifest& manifest = found.reading.manifest;
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : names()) {
    const std::uint64_t number = name.ends_with(".log") ? file_number(name) : 0;
    const bool live = number >= manifest.log_number || number == manifest.previous_log;
    if (number != 0 && live) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  bool changed = false;
  if (manifest.log_number != 0 && !std::ranges::binary_search(numbers, manifest.log_number)) {
    // Its name is durable before the manifest has its number.
    DamageNote gone;
    gone.file = table_file_name(manifest.log_number, "log");
    gone.lost = gone.elsewhere = true;
    gone.reason = "the file is gone";
    if (auto noted = note(std::move(gone)); !noted) return noted.error();
    changed = true;
    // Makes an empty file, so that the next open does not report it again.
    if (auto made = write_file(env_, folder_, table_file_name(manifest.log_number, "log"), {});
        !made) {
      return made.error();
    }
  }
  std::uint64_t sequence = manifest.previous_log != 0 ? 0 : manifest.last_sequence + 1;
  for (const std::uint64_t number : numbers) {
    const auto repaired = repair_log(number, sequence);
    if (!repaired) return repaired.error();
    changed = changed || *repaired;
  }
  return changed;
}

/// `sequence`: number of the next write, if none is missing. A log that was being moved into a
/// table may begin with a lower one, which the manifest knows.
Result<bool> FileRepair::repair_log(std::uint64_t number, std::uint64_t& sequence) {
  const std::string name = table_file_name(number, "log");
  const auto bytes = read(name);
  if (!bytes) return bytes.error();
  const LogReading reading = read_log(*bytes, is_sound_batch);
  LogDamage damage(name, sequence);
  auto hole = reading.holes.begin();
  LogWriter writer;
  for (const LogRecord& record : reading.records) {
    for (; hole != reading.holes.end() && hole->from < record.from; ++hole) damage.add(*hole);
    damage.add(record);
    writer.add(record.bytes);
  }
  sequence = damage.next();
  if (damage.notes().empty()) return false;
  const bool rewrite =
      !reading.holes.empty() || std::ranges::any_of(reading.records, [](const LogRecord& record) {
        return !record.corrected.empty();
      });
  const std::string kept = rewrite ? keep_aside(name) : "";
  for (DamageNote& one : damage.notes()) {
    one.reason += kept;
    if (auto noted = note(std::move(one)); !noted) return noted.error();
  }
  if (!rewrite) return true;
  if (auto replaced = replace(name, writer.bytes()); !replaced) return replaced.error();
  return true;
}

}  // namespace starbus::storage
