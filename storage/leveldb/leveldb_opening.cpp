#include "storage/leveldb/leveldb_opening.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <utility>

#include "storage/check/log_check.hpp"
#include "storage/format_row.hpp"
#include "storage/leveldb/leveldb_status.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {

/// LevelDB's messages. Only there it says what a replay of a log had to drop; the rest is ignored.
class LevelDbOpening::Messages : public leveldb::Logger {
 public:
  void Logv(const char* format, std::va_list arguments) override {
    std::array<char, 512> text;
    std::vsnprintf(text.data(), text.size(), format, arguments);
    std::string_view message(text.data());
    if (message.find(": dropping ") == std::string_view::npos) return;
    // The path is the store's own: the file's name says enough.
    const std::size_t slash = message.substr(0, message.find(": dropping ")).rfind('/');
    if (slash != std::string_view::npos) message.remove_prefix(slash + 1);
    const std::lock_guard lock(mutex_);
    if (dropped_.size() < kMaxDamage) dropped_.emplace_back(message);
  }
  bool has_dropped() const {
    const std::lock_guard lock(mutex_);
    return !dropped_.empty();
  }
  void forget_dropped() {
    const std::lock_guard lock(mutex_);
    dropped_.clear();
  }
  void add_repaired(std::string line) {
    const std::lock_guard lock(mutex_);
    if (repaired_.size() < kMaxDamage) repaired_.push_back(std::move(line));
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all = repaired_;
    all.insert(all.end(), dropped_.begin(), dropped_.end());
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> dropped_;
  std::vector<std::string> repaired_;
};

LevelDbOpening::LevelDbOpening(const StoreOptions& options)
    : folder_(options.folder.string()),
      write_buffer_(options.write_buffer),
      repair_logs_(options.repair_logs),
      env_(disk_or_real(options.env)),
      messages_(std::make_unique<Messages>()),
      cache_(leveldb::NewLRUCache(kBlockCache)) {}

LevelDbOpening::~LevelDbOpening() = default;

leveldb::Options LevelDbOpening::options() const {
  leveldb::Options options;
  options.create_if_missing = true;
  // A compaction that meets a damaged block must fail: merged into a new one it would get a fresh
  // checksum, and keys out of order hide their neighbours.
  options.paranoid_checks = true;
  options.env = const_cast<StoreEnv*>(&env_);  // NOLINT: LevelDB's interface; it is ours
  options.info_log = messages_.get();
  options.write_buffer_size = write_buffer_;
  options.max_open_files = kOpenTables;
  options.block_cache = cache_.get();
  options.block_size = kBlockSize;
  // A log with a torn end must not be continued.
  options.reuse_logs = false;
  options.compression = leveldb::kNoCompression;  // docs/design/storage-format.md says why
  return options;
}

Error LevelDbOpening::error_of_opening(const leveldb::Status& status) const {
  if (env_.lock_refused()) return {Errc::in_use, status.ToString()};
  return error_of(status);
}

std::vector<std::string> LevelDbOpening::damage() const {
  return messages_->all();
}

Result<std::unique_ptr<leveldb::DB>> LevelDbOpening::open() {
  for (;;) {
    if (const auto known = refuse_without_current(); !known) return known.error();
    if (const auto checked = check_logs(); !checked) return checked.error();
    auto db = open_files();
    if (!db) return db;
    const auto made = check_format(**db, folder_);
    if (!made) return made.error();
    if (!*made) return db;
    // Opening moves the format into a table of its own before anything else is written: in the log,
    // damage of what follows would take it along, and a store without its format is not opened.
  }
}

Result<> LevelDbOpening::refuse_without_current() {
  if (env_.FileExists(folder_ + "/CURRENT")) return {};
  // LevelDB would take it for a new folder, and remove all tables in it.
  std::vector<std::string> names;
  const leveldb::Status status = env_.GetChildren(folder_, &names);
  if (!status.ok()) return error_of(status);
  for (const std::string& name : names) {
    if (!name.ends_with(".ldb") && !name.ends_with(".sst") && !name.ends_with(".log")) continue;
    return Error(Errc::corrupt, folder_ + " has " + name + ", but no CURRENT");
  }
  return {};
}

Result<> LevelDbOpening::check_logs() {
  if (!env_.FileExists(folder_ + "/CURRENT")) return {};
  leveldb::FileLock* lock = nullptr;
  if (!env_.LockFile(folder_ + "/LOCK", &lock).ok()) return {};  // LevelDB will report it, too
  const auto damage = find_log_damage(env_, folder_);
  Result<> checked;
  if (!damage) {
    checked = damage.error();
  } else if (*damage) {
    checked = repair_logs(**damage);
  }
  env_.UnlockFile(lock);
  return checked;
}

Result<> LevelDbOpening::repair_logs(const std::string& damage) {
  if (repair_logs_ == nullptr) return Error(Errc::corrupt, damage + "; repair the store");
  auto repaired = repair_logs_(env_, folder_);
  if (!repaired) return repaired.error();
  for (std::string& line : *repaired) messages_->add_repaired(std::move(line));
  return {};
}

Result<std::unique_ptr<leveldb::DB>> LevelDbOpening::open_files() {
  leveldb::DB* db = nullptr;
  leveldb::Status status = leveldb::DB::Open(options(), folder_, &db);
  if (status.IsCorruption()) {
    if (const auto left_out = leave_out_torn_end(status); !left_out) return left_out.error();
    status = leveldb::DB::Open(options(), folder_, &db);
  }
  if (!status.ok()) return error_of_opening(status);
  return std::unique_ptr<leveldb::DB>(db);
}

/// A write that a power cut has torn. LevelDB, without its checks, leaves it out and moves the rest
/// of the log into a table.
Result<> LevelDbOpening::leave_out_torn_end(const leveldb::Status& status) {
  messages_->forget_dropped();
  leveldb::Options unchecked = options();
  unchecked.paranoid_checks = false;
  leveldb::DB* db = nullptr;
  const leveldb::Status opened = leveldb::DB::Open(unchecked, folder_, &db);
  delete db;
  if (!opened.ok()) return error_of(opened);
  // Nothing was dropped: the damage is elsewhere, and only ignored.
  if (!messages_->has_dropped()) return error_of(status);
  return {};
}

}  // namespace starbus::storage
