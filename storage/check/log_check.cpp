#include "storage/check/log_check.hpp"

#include <leveldb/env.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/crc32c.hpp"
#include "base/little_endian.hpp"
#include "storage/check/file_names.hpp"
#include "storage/check/log_format.hpp"
#include "storage/check/version_edit.hpp"

namespace starbus::storage {
namespace {

constexpr std::size_t kBatchHead = 12;  // the number of its first operation (8), their count (4)

/// The records of a file, up to the first that is not whole.
class RecordScan {
 public:
  explicit RecordScan(std::string_view file) : file_(file) {}

  /// nullopt at the end of the file, or where it is damaged.
  std::optional<std::string> next() {
    std::string record;
    for (bool begun = false;; begun = true) {
      const std::size_t left = kLogBlock - at_ % kLogBlock;
      if (left < kFragmentHead) at_ += left;
      if (at_ >= file_.size()) {
        damaged_ = begun;
        return std::nullopt;
      }
      const unsigned char kind = take_fragment(record);
      const bool begins = kind == kWhole || kind == kFirst;
      damaged_ = kind < kWhole || kind > kLast || begins == begun;
      if (damaged_) return std::nullopt;
      if (kind == kWhole || kind == kLast) return record;
    }
  }
  bool damaged() const { return damaged_; }
  std::size_t at() const { return at_; }

 private:
  /// Its kind, and adds its bytes; 0 if its checksum or its length is wrong.
  unsigned char take_fragment(std::string& record) {
    const std::size_t limit = std::min(file_.size(), (at_ / kLogBlock + 1) * kLogBlock);
    if (at_ + kFragmentHead > limit) return 0;
    const std::size_t length = load<std::uint16_t>(file_, at_ + kLengthAt);
    const std::size_t end = at_ + kFragmentHead + length;
    if (end > limit) return 0;
    const std::string_view checked = file_.substr(at_ + kKindAt, end - at_ - kKindAt);
    if (masked(crc32c(0, checked)) != load<std::uint32_t>(file_, at_)) return 0;
    record.append(checked.substr(1));
    at_ = end;
    return static_cast<unsigned char>(checked.front());
  }

  const std::string_view file_;
  std::size_t at_ = 0;
  bool damaged_ = false;
};

std::string damaged_at(const std::string& name, const RecordScan& scan) {
  return name + ": not as written at byte " + std::to_string(scan.at());
}

class LogCheck {
 public:
  LogCheck(StoreEnv& env, const std::string& folder) : env_(env), folder_(folder) {}

  Result<std::optional<std::string>> run() {
    if (!env_.FileExists(path("CURRENT"))) return std::optional<std::string>();
    const auto current = read("CURRENT");
    if (!current) return current.error();
    const auto manifest = read_current(*current);
    if (!manifest || !env_.FileExists(path(*manifest))) return std::optional<std::string>();
    if (auto found = check_manifest(*manifest); !found || *found) return found;
    return check_logs();
  }

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  Result<std::string> read(const std::string& name) {
    std::string bytes;
    const leveldb::Status status = leveldb::ReadFileToString(&env_, path(name), &bytes);
    if (!status.ok()) return Error(Errc::io_error, status.ToString());
    return bytes;
  }

  Result<std::optional<std::string>> check_manifest(const std::string& name) {
    const auto bytes = read(name);
    if (!bytes) return bytes.error();
    RecordScan scan(*bytes);
    while (const auto record = scan.next()) {
      const auto edit = read_edit(*record);
      if (!edit) return std::optional(name + ": malformed edit");
      log_number_ = edit->log_number.value_or(log_number_);
      previous_log_ = edit->previous_log.value_or(previous_log_);
      last_sequence_ = edit->last_sequence.value_or(last_sequence_);
    }
    if (scan.damaged()) return std::optional(damaged_at(name, scan));
    return std::optional<std::string>();
  }

  /// The logs that LevelDB replays, in the order in which it does.
  Result<std::optional<std::string>> check_logs() {
    std::vector<std::string> names;
    (void)env_.GetChildren(folder_, &names);
    std::erase_if(names, [&](const std::string& name) {
      const std::uint64_t number = name.ends_with(".log") ? file_number(name) : 0;
      return number == 0 || (number < log_number_ && number != previous_log_);
    });
    std::ranges::sort(names, {}, file_number);
    const bool is_gone =
        log_number_ != 0 && std::ranges::find(names, log_number_, file_number) == names.end();
    if (is_gone) return std::optional(table_file_name(log_number_, "log") + ": the file is gone");
    if (previous_log_ == 0) next_ = last_sequence_ + 1;
    for (const std::string& name : names) {
      if (auto found = check_log(name); !found || *found) return found;
    }
    return std::optional<std::string>();
  }

  Result<std::optional<std::string>> check_log(const std::string& name) {
    const auto bytes = read(name);
    if (!bytes) return bytes.error();
    RecordScan scan(*bytes);
    while (const auto record = scan.next()) {
      if (record->size() < kBatchHead) return std::optional(name + ": malformed write");
      const std::uint64_t sequence = load<std::uint64_t>(*record, 0);
      // A log that was being moved into a table begins with writes that the manifest knows.
      if (next_ != 0 && sequence > next_) return std::optional(name + ": writes are missing");
      next_ = sequence + load<std::uint32_t>(*record, 8);
    }
    if (scan.damaged()) return std::optional(damaged_at(name, scan));
    return std::optional<std::string>();
  }

  StoreEnv& env_;
  const std::string& folder_;
  std::uint64_t log_number_ = 0;  // older logs are in tables
  std::uint64_t previous_log_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t next_ = 0;  // number of the next write, if none is missing; 0: not known
};

}  // namespace

Result<std::optional<std::string>> find_log_damage(StoreEnv& env, const std::string& folder) {
  return LogCheck(env, folder).run();
}

}  // namespace starbus::storage
