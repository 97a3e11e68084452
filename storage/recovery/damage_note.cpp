#include "storage/recovery/damage_note.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/crc32c.hpp"
#include "base/hex.hpp"
#include "base/numbers.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {
namespace {

constexpr std::string_view kFirstLine = "starbus-damage 1\n";
constexpr std::string_view kFile = "DAMAGE";
constexpr std::size_t kLongestReason = 512;  // bytes

std::optional<std::string> key_of(std::string_view hex) {
  return hex.size() > 4 * kMaxKey ? std::nullopt : bytes_of_hex(hex);
}

/// The text up to the next `end`, which is taken too; nullopt if there is no `end`.
std::optional<std::string_view> take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at + 1);
  return part;
}

bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto digits = take_until(text, '\t');
  const auto read = digits ? parse_number<std::uint64_t>(*digits) : std::nullopt;
  if (read) number = *read;
  return read.has_value();
}

bool take_flag(std::string_view& text, bool& flag) {
  std::uint64_t number = 0;
  if (!take_number(text, number) || number > 1) return false;
  flag = number == 1;
  return true;
}

/// The text of one line: no tabs, no ends of lines.
std::string plain(std::string_view text) {
  std::string out(text.substr(0, kLongestReason));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return out;
}

std::string fields_of(const DamageNote& note) {
  std::string text;
  for (const std::uint64_t number :
       {note.time_ms, note.from, note.to, std::uint64_t{note.lost}, std::uint64_t{note.settled},
        note.operations, std::uint64_t{note.elsewhere}}) {
    text += std::to_string(number) + "\t";
  }
  text += plain(note.file) + "\t" + plain(note.reason) + "\t";
  for (const DamageNote::Range& range : note.ranges) {
    text += hex_of(range.from) + "-" + hex_of(range.to) + "\t";
  }
  return text;
}

std::string checksum_of(std::string_view fields) {
  return hex_of(crc32c(0, fields));
}

bool take_range(std::string_view text, DamageNote& note) {
  const auto from = take_until(text, '-');
  auto first = from ? key_of(*from) : std::nullopt;
  auto last = key_of(text);
  if (!first || !last || note.ranges.size() >= kNoteRanges) return false;
  note.ranges.push_back({std::move(*first), std::move(*last)});
  return true;
}

std::optional<DamageNote> read_line(std::string_view line) {
  const auto checksum = take_until(line, '\t');
  if (!checksum || *checksum != checksum_of(line)) return std::nullopt;
  DamageNote note;
  const bool numbers = take_number(line, note.time_ms) && take_number(line, note.from) &&
                       take_number(line, note.to) && take_flag(line, note.lost) &&
                       take_flag(line, note.settled) && take_number(line, note.operations) &&
                       take_flag(line, note.elsewhere);
  if (!numbers) return std::nullopt;
  const auto file = take_until(line, '\t');
  const auto reason = take_until(line, '\t');
  if (!file || !reason) return std::nullopt;
  note.file = *file;
  note.reason = *reason;
  while (!line.empty()) {
    const auto range = take_until(line, '\t');
    if (!range || !take_range(*range, note)) return std::nullopt;
  }
  return note;
}

/// The note for an unreadable line. Settled: its repair was done when it was written.
DamageNote unreadable() {
  DamageNote note;
  note.file = kFile;
  note.lost = note.elsewhere = note.settled = true;
  note.reason = "a note of earlier damage cannot be read";
  return note;
}

bool is_same(const DamageNote& a, const DamageNote& b) {
  return a.file == b.file && a.from == b.from && a.to == b.to && a.lost == b.lost &&
         a.ranges == b.ranges;
}

}  // namespace

std::string encode(const std::vector<DamageNote>& notes) {
  std::string text(kFirstLine);
  for (const DamageNote& note : notes) {
    const std::string fields = fields_of(note);
    text += checksum_of(fields) + "\t" + fields + "\n";
  }
  return text;
}

std::vector<DamageNote> decode_damage(std::string_view text) {
  std::vector<DamageNote> notes;
  if (!text.starts_with(kFirstLine)) {
    add_note(notes, unreadable());
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  } else {
    text.remove_prefix(kFirstLine.size());
  }
  while (!text.empty()) {
    const auto line = take_until(text, '\n');
    auto note = line ? read_line(*line) : std::nullopt;
    add_note(notes, note ? std::move(*note) : unreadable());
    if (!line) break;
  }
  return notes;
}

void add_note(std::vector<DamageNote>& notes, DamageNote note) {
  const auto known =
      std::ranges::find_if(notes, [&](const DamageNote& other) { return is_same(other, note); });
  if (known != notes.end()) {
    known->settled = known->settled && note.settled;  // found again: to be repaired again
    return;
  }
  if (note.ranges.size() > kNoteRanges) {
    note.ranges.resize(kNoteRanges);
    note.elsewhere = true;
  }
  if (notes.size() < kDamageNotes) {
    notes.push_back(std::move(note));
    return;
  }
  DamageNote& last = notes.back();
  last.lost = last.lost || note.lost;
  last.elsewhere = last.elsewhere || note.lost;
  last.settled = last.settled && note.settled;
  last.reason = "and more than can be listed";
}

}  // namespace starbus::storage
