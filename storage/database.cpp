#include "storage/database.hpp"

#include <sys/stat.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "base/numbers.hpp"
#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb_status.hpp"
#include "storage/recovery/mending.hpp"

namespace starbus::storage {
namespace {

constexpr unsigned kFormat = 1;  // of the whole store; of single values: envelope.cpp

std::string parent_of(const std::filesystem::path& folder) {
  // "mail/" is the folder "mail".
  const std::filesystem::path normal = folder.lexically_normal();
  const auto named = normal.has_filename() ? normal : normal.parent_path();
  const auto parent = named.parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace

/// LevelDB's messages: what a log recovery has to drop is said nowhere else. The rest is chatter.
class Database::Messages : public leveldb::Logger {
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
  std::vector<std::string> dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    dropped_.clear();
  }
  void add_mended(const DamageNote& note) {
    const std::lock_guard lock(mutex_);
    if (mended_.size() >= kMaxDamage) return;
    mended_.push_back(note.file + ": " + note.reason + ", bytes " + std::to_string(note.from) +
                      " to " + std::to_string(note.to) + (note.lost ? ": lost" : ""));
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all = mended_;
    all.insert(all.end(), dropped_.begin(), dropped_.end());
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> dropped_;
  std::vector<std::string> mended_;  // by ourselves
};

Database::Database(const StoreOptions& options, DiskEnv& disk)
    : folder_(options.folder.string()),
      write_buffer_(options.write_buffer),
      env_(disk),
      messages_(std::make_unique<Messages>()),
      cache_(leveldb::NewLRUCache(kBlockCache)) {}

Database::~Database() {
  close();
}

Result<std::shared_ptr<Database>> Database::open(const StoreOptions& options) {
  // Records are nobody else's business. What an operator has set up is left alone.
  const bool made = ::mkdir(options.folder.c_str(), 0750) == 0;
  if (!made && errno != EEXIST) return error_of(status_of_errno(options.folder.string(), errno));
  // Its name must be as durable as what will be in it. An older folder's parent may be out of
  // reach.
  const leveldb::Status named = disk_or_real(options.env).sync_folder(parent_of(options.folder));
  if (made && !named.ok()) return error_of(named);
  std::shared_ptr<Database> database(new Database(options, disk_or_real(options.env)));
  if (auto opened = database->open_db(); !opened) return opened.error();
  return database;
}

leveldb::Options Database::leveldb_options() const {
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
  options.compression = leveldb::kNoCompression;  // docs/storage-format.md says why
  return options;
}

Result<> Database::refuse_without_current() {
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

/// LevelDB leaves out what it cannot read of a log, and more.
Result<> Database::mend_logs() {
  leveldb::FileLock* lock = nullptr;
  if (!env_.FileExists(folder_ + "/CURRENT")) return {};
  if (!env_.LockFile(folder_ + "/LOCK", &lock).ok()) return {};  // LevelDB will say so, too
  Mending mending(env_, folder_);
  const auto mended = mending.logs();
  env_.UnlockFile(lock);
  for (const DamageNote& note : mending.noted()) messages_->add_mended(note);
  if (!mended) return mended.error();
  return {};
}

Result<> Database::open_db() {
  if (const auto known = refuse_without_current(); !known) return known;
  if (const auto mended = mend_logs(); !mended) return mended;
  leveldb::DB* db = nullptr;
  leveldb::Status status = leveldb::DB::Open(leveldb_options(), folder_, &db);
  if (status.IsCorruption()) {
    if (const auto mended = open_damaged(status); !mended) return mended;
    status = leveldb::DB::Open(leveldb_options(), folder_, &db);
  }
  if (!status.ok()) {
    if (env_.lock_refused()) return Error(Errc::in_use, status.ToString());
    return error_of(status);
  }
  db_.reset(db);
  const auto made = check_format();
  if (!made) {
    db_.reset();
    return made.error();
  }
  if (!*made) return {};
  // The format goes into a table of its own before anything else is written: in the log, damage of
  // what follows would take it along, and a store without its format is not opened.
  db_.reset();
  return open_db();
}

Result<> Database::open_damaged(const leveldb::Status& status) {
  // The log has a record that is not whole: a write that a power cut has torn, or a flipped bit.
  // Let LevelDB leave it out and move what is left of the log into a table.
  messages_->forget();
  leveldb::Options options = leveldb_options();
  options.paranoid_checks = false;
  leveldb::DB* db = nullptr;
  const leveldb::Status again = leveldb::DB::Open(options, folder_, &db);
  delete db;
  if (!again.ok()) return error_of(again);
  // Nothing was dropped: the damage is elsewhere, and only ignored.
  if (messages_->dropped().empty()) return error_of(status);
  return {};
}

Result<bool> Database::check_format() {
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  std::string sealed;
  const leveldb::Status status = db_->Get(read, to_slice(kFormatKey), &sealed);
  if (status.IsNotFound()) {
    const std::unique_ptr<leveldb::Iterator> any(db_->NewIterator(read));
    any->SeekToFirst();
    if (any->Valid()) return Error(Errc::corrupt, folder_ + ": not a store, or without its format");
    if (!any->status().ok()) return error_of(any->status());
    if (const auto written = write_format(); !written) return written.error();
    return true;
  }
  if (!status.ok()) return error_of(status, kFormatKey);
  const auto text = unseal(kFormatKey, sealed);
  if (!text) return text.error();
  if (parse_number<unsigned>(*text) == kFormat) return false;
  return Error(Errc::newer_format, folder_ + " has storage format " + std::string(*text) +
                                       "; this version knows " + std::to_string(kFormat));
}

Result<> Database::write_format() {
  std::string sealed;
  seal(kFormatKey, std::to_string(kFormat), sealed);
  leveldb::WriteOptions write;
  write.sync = true;
  const leveldb::Status status = db_->Put(write, to_slice(kFormatKey), sealed);
  if (!status.ok()) return error_of(status);
  return {};
}

Result<Database::Use> Database::use() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !exclusive_ || closed_; });
  if (closed_) return Error(Errc::closed);
  if (db_ == nullptr) return not_open_;
  ++uses_;
  return Use(*this);
}

void Database::leave() {
  const std::lock_guard lock(mutex_);
  assert(uses_ > 0);
  if (--uses_ == 0) changed_.notify_all();
}

Result<const leveldb::Snapshot*> Database::take_snapshot(const Use& use) {
  const std::lock_guard lock(mutex_);
  if (snapshots_.size() >= kMaxSnapshots) return Error(Errc::would_block, "too many snapshots");
  return *snapshots_.insert(use->GetSnapshot()).first;
}

void Database::release_snapshot(const Use& use, const leveldb::Snapshot* snapshot) {
  const std::lock_guard lock(mutex_);
  if (snapshots_.erase(snapshot) != 0) use->ReleaseSnapshot(snapshot);
}

void Database::wait_until_unused(std::unique_lock<std::mutex>& lock) {
  exclusive_ = true;
  changed_.wait(lock, [&] { return uses_ == 0; });
}

void Database::end_snapshots() {
  for (const leveldb::Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  snapshots_.clear();
}

Result<> Database::reopen() {
  std::unique_lock lock(mutex_);
  assert(!closed_);
  wait_until_unused(lock);
  end_snapshots();
  lock.unlock();
  db_.reset();
  auto opened = open_db();
  lock.lock();
  if (!opened) not_open_ = opened.error();
  ++generation_;
  exclusive_ = false;
  changed_.notify_all();
  return opened;
}

void Database::close() {
  std::unique_lock lock(mutex_);
  if (closed_) return;
  closed_ = true;
  wait_until_unused(lock);
  end_snapshots();
  db_.reset();
  changed_.notify_all();
}

std::uint64_t Database::snapshots() const {
  const std::lock_guard lock(mutex_);
  return snapshots_.size();
}

std::vector<std::string> Database::damage() const {
  return messages_->all();
}

}  // namespace starbus::storage
