#include "storage/recovery/log_file.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/crc32c.hpp"
#include "base/little_endian.hpp"
#include "storage/check/log_format.hpp"
#include "storage/recovery/byte_fix.hpp"

namespace starbus::storage {
namespace {

struct Fragment {
  std::size_t from = 0;
  std::size_t to = 0;
  unsigned char kind = 0;
  std::string bytes;
  std::optional<std::size_t> corrected;
};

/// Reads the fragments of a file, block by block.
class FragmentReader {
 public:
  explicit FragmentReader(std::string_view file) : file_(file) {}

  std::size_t at() const { return at_; }
  /// Skips the padding at the end of a block; false at the end of the file.
  bool find_next() {
    const std::size_t left = kLogBlock - at_ % kLogBlock;
    if (left < kFragmentHead) at_ += left;
    return at_ < file_.size();
  }

  /// The fragment at this place; moves after it. nullopt if there is none.
  std::optional<Fragment> take() {
    auto fragment = read(at_);
    if (fragment) at_ = fragment->to;
    return fragment;
  }

  /// Skips bytes that are not a fragment: to the end that their length field gives, if a fragment
  /// begins there, else to the end of the block. Not byte by byte: a posted body may look like a
  /// fragment. In the last block, accepts the next place from which fragments follow each other up
  /// to the end of the file: a posted body cannot imitate that, since unpredictable bytes follow
  /// it.
  void skip() {
    const std::size_t end = end_by_length(at_);
    const bool ends_block = end != 0 && kLogBlock - end % kLogBlock < kFragmentHead;
    if (end != 0 && !ends_block && end < block_end() && read(end)) {
      at_ = end;
      return;
    }
    const std::size_t limit = block_end();
    for (++at_; at_ < limit && !(limit == file_.size() && leads_to_end(at_));) ++at_;
  }
  /// The bytes at this place, if they begin a record.
  std::string beginning() const {
    const auto kind = at_ + kFragmentHead < file_.size() ? file_[at_ + kKindAt] : 0;
    if (kind != kWhole && kind != kFirst) return {};
    const std::size_t end = end_by_length(at_) != 0 ? end_by_length(at_) : block_end();
    return std::string(file_.substr(at_ + kFragmentHead, end - at_ - kFragmentHead));
  }
  /// Whether only zeros follow: allocated and never written.
  bool is_empty_from(std::size_t at) const {
    return file_.find_first_not_of('\0', at) == std::string_view::npos;
  }

 private:
  std::size_t block_end() const {
    return std::min(file_.size(), (at_ / kLogBlock + 1) * kLogBlock);
  }

  std::size_t length_at(std::size_t at) const { return load<std::uint16_t>(file_, at + kLengthAt); }
  /// 0 if it is past the end of the block or of the file.
  std::size_t end_by_length(std::size_t at) const {
    const std::size_t limit = std::min(file_.size(), (at / kLogBlock + 1) * kLogBlock);
    if (at + kFragmentHead > limit) return 0;
    const std::size_t end = at + kFragmentHead + length_at(at);
    return end > limit ? 0 : end;
  }

  /// Whether a record begins here, and sound fragments follow each other from it to the end.
  bool leads_to_end(std::size_t at) const {
    const auto kind = at + kKindAt < file_.size() ? file_[at + kKindAt] : 0;
    if (kind != kWhole && kind != kFirst) return false;
    while (at < file_.size()) {
      const std::size_t end = end_by_length(at);
      if (end == 0) return false;
      const std::string_view checked = file_.substr(at + kKindAt, end - at - kKindAt);
      if (masked(crc32c(0, checked)) != load<std::uint32_t>(file_, at)) return false;
      at = end;
    }
    return true;
  }

  std::optional<Fragment> read(std::size_t at) const {
    if (const std::size_t end = end_by_length(at); end != 0) {
      std::string bytes(file_.substr(at, end - at));
      std::optional<std::size_t> corrected;
      if (fix_byte(bytes, kKindAt, bytes.size(), 0, corrected)) {
        return made(at, end, std::move(bytes), corrected);
      }
    }
    return read_by_other_length(at);
  }

  /// Tries lengths with one other byte until one fits the checksum.
  std::optional<Fragment> read_by_other_length(std::size_t at) const {
    const std::size_t limit = std::min(file_.size(), (at / kLogBlock + 1) * kLogBlock);
    if (at + kFragmentHead > limit) return std::nullopt;
    const std::size_t stored = length_at(at);
    const std::uint32_t crc = load<std::uint32_t>(file_, at);
    std::uint32_t so_far = crc32c(0, file_.substr(at + kKindAt, 1));
    for (std::size_t length = 0; at + kFragmentHead + length <= limit; ++length) {
      if (length != 0) so_far = crc32c(so_far, file_.substr(at + kFragmentHead + length - 1, 1));
      const std::size_t other = length ^ stored;
      const bool one_byte = (other & 0xff) == 0 || (other >> 8) == 0;
      if (!one_byte || other == 0 || masked(so_far) != crc) continue;
      const std::size_t end = at + kFragmentHead + length;
      return made(at, end, std::string(file_.substr(at, end - at)),
                  kLengthAt + ((other & 0xff) == 0 ? 1 : 0));
    }
    return std::nullopt;
  }

  static std::optional<Fragment> made(std::size_t at, std::size_t end, std::string bytes,
                                      std::optional<std::size_t> corrected) {
    const auto kind = static_cast<unsigned char>(bytes[kKindAt]);
    if (kind < kWhole || kind > kLast) return std::nullopt;
    if (corrected) *corrected += at;
    return Fragment{at, end, kind, bytes.substr(kFragmentHead), corrected};
  }

  const std::string_view file_;
  std::size_t at_ = 0;
};

/// Joins fragments into records, and the bytes between them into holes.
class RecordReader {
 public:
  RecordReader(std::string_view file, const std::function<bool(std::string_view)>& is_sound)
      : file_(file), fragments_(file), is_sound_(is_sound) {}

  LogReading run() {
    while (fragments_.find_next()) {
      const std::size_t at = fragments_.at();
      auto fragment = fragments_.take();
      if (fragment) {
        add(std::move(*fragment));
        continue;
      }
      give_up("a record is only begun");
      if (fragments_.is_empty_from(at)) {
        lose(at, file_.size(), "zeros", {});
        break;
      }
      std::string part = fragments_.beginning();
      fragments_.skip();
      lose(at, fragments_.at(), "wrong checksum or length", std::move(part));
    }
    give_up("the file ends within a record");
    if (hole_) reading_.tail = std::exchange(hole_, {});
    return std::move(reading_);
  }

 private:
  void add(Fragment fragment) {
    const bool begins = fragment.kind == kWhole || fragment.kind == kFirst;
    if (begins) give_up("a record is only begun");
    if (!begins && !record_) {
      return lose(fragment.from, fragment.to, "a record has no beginning", {});
    }
    if (begins) record_ = LogRecord{fragment.from, fragment.to, {}};
    record_->to = fragment.to;
    record_->bytes += fragment.bytes;
    if (fragment.corrected) record_->corrected.push_back(*fragment.corrected);
    if (fragment.kind == kWhole || fragment.kind == kLast) end_record();
  }

  void end_record() {
    if (!record_->corrected.empty() && !is_sound_(record_->bytes)) {
      return give_up("its checksum is wrong");
    }
    if (hole_) reading_.holes.push_back(*std::exchange(hole_, {}));
    reading_.records.push_back(*std::exchange(record_, {}));
  }

  /// Makes a record that does not continue part of a hole.
  void give_up(const char* why) {
    if (!record_) return;
    LogRecord record = *std::exchange(record_, {});
    lose(record.from, record.to, why, std::move(record.bytes));
  }

  void lose(std::size_t from, std::size_t to, const char* why, std::string part) {
    if (!hole_) hole_ = LogHole{from, to, why};
    hole_->to = to;
    if (!part.empty()) hole_->parts.push_back(std::move(part));
  }

  const std::string_view file_;
  FragmentReader fragments_;
  const std::function<bool(std::string_view)>& is_sound_;
  LogReading reading_;
  std::optional<LogRecord> record_;  // that is not whole yet
  std::optional<LogHole> hole_;      // since the last record
};

}  // namespace

LogReading read_log(std::string_view file, const std::function<bool(std::string_view)>& is_sound) {
  return RecordReader(file, is_sound).run();
}

void LogWriter::add(std::string_view record) {
  for (bool first = true;; first = false) {
    const std::size_t left = kLogBlock - bytes_.size() % kLogBlock;
    if (left < kFragmentHead) bytes_.append(left, '\0');
    const std::size_t room = kLogBlock - bytes_.size() % kLogBlock - kFragmentHead;
    const std::string_view part = record.substr(0, room);
    record.remove_prefix(part.size());
    const bool last = record.empty();
    const char kind = static_cast<char>(first && last ? kWhole
                                        : first       ? kFirst
                                        : last        ? kLast
                                                      : kMiddle);
    const std::uint32_t crc = masked(crc32c(crc32c(0, {&kind, 1}), part));
    append_little(bytes_, crc, kLengthAt);
    append_little(bytes_, part.size(), kKindAt - kLengthAt);
    bytes_ += kind;
    bytes_ += part;
    if (last) return;
  }
}

}  // namespace starbus::storage
