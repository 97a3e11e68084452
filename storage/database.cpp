#include "storage/database.hpp"

#include <sys/stat.h>

#include <cassert>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "storage/leveldb/leveldb_status.hpp"

namespace starbus::storage {
namespace {

std::string parent_of(const std::filesystem::path& folder) {
  // "mail/" is the folder "mail".
  const std::filesystem::path normal = folder.lexically_normal();
  const auto named = normal.has_filename() ? normal : normal.parent_path();
  const auto parent = named.parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace

Database::~Database() {
  close();
}

Result<std::shared_ptr<Database>> Database::open(const StoreOptions& options) {
  // Only this user may read records. A folder that an operator has made keeps its mode.
  const bool made = ::mkdir(options.folder.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return error_of(status_of_errno(options.folder.string(), errno));
  // Its name must be as durable as what will be in it. An older folder's parent may be out of
  // reach.
  const leveldb::Status named = disk_or_real(options.env).sync_folder(parent_of(options.folder));
  if (made && !named.ok()) return error_of(named);
  std::shared_ptr<Database> database(new Database(options));
  if (auto opened = database->open_db(); !opened) return opened.error();
  return database;
}

Result<> Database::open_db() {
  auto db = opening_.open();
  if (!db) return db.error();
  db_ = std::move(*db);
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

}  // namespace starbus::storage
