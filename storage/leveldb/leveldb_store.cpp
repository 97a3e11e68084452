/// The Store of LevelDB: reads go to the database, commits to the writer.
#include <algorithm>
#include <array>
#include <utility>

#include "storage/check/file_check.hpp"
#include "storage/database.hpp"
#include "storage/internal_keys.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "storage/writer.hpp"

namespace starbus::storage {
namespace {

class LevelDbSnapshot : public Snapshot {
 public:
  LevelDbSnapshot(std::shared_ptr<Database> database, const Database::Use& use,
                  const leveldb::Snapshot* snapshot, std::vector<ErasingRange> hidden)
      : database_(std::move(database)),
        generation_(use.generation()),
        snapshot_(snapshot),
        hidden_(std::move(hidden)) {}
  ~LevelDbSnapshot() override {
    const auto use = database_->use();
    if (use && use->generation() == generation_) database_->release_snapshot(*use, snapshot_);
  }

  Result<std::optional<std::string>> get(std::string_view key) const override {
    const auto use = enter();
    if (!use) return use.error();
    return read_value(**use, options(), hidden_, key);
  }
  Result<Page> scan(std::string_view from, std::string_view to, PageLimit limit) const override {
    const auto use = enter();
    if (!use) return use.error();
    return read_page(**use, options(), hidden_, from, to, limit);
  }

 private:
  Result<Database::Use> enter() const {
    auto use = database_->use();
    if (use && use->generation() != generation_) return Error(Errc::stale);
    return use;
  }
  leveldb::ReadOptions options() const {
    leveldb::ReadOptions read;
    read.snapshot = snapshot_;
    return read;
  }

  const std::shared_ptr<Database> database_;
  const std::uint64_t generation_;
  const leveldb::Snapshot* const snapshot_;
  const std::vector<ErasingRange> hidden_;
};

class LevelDbStore : public Store {
 public:
  LevelDbStore(std::shared_ptr<Database> database, const StoreOptions& options,
               ErasingRanges ranges)
      : database_(std::move(database)), writer_(*database_, options, std::move(ranges)) {}
  ~LevelDbStore() override { LevelDbStore::close(); }

  Result<> commit(Batch batch, Completion done) override {
    return writer_.commit(std::move(batch), std::move(done));
  }

  Result<std::optional<std::string>> get(std::string_view key) const override {
    const auto use = database_->use();
    if (!use) return use.error();
    if (!writer_.hides_ranges()) return read_value(**use, {}, {}, key);
    // The list and the value must be of one moment. The use keeps the DB: no need to register it.
    leveldb::DB& db = **use;
    const auto release = [&](const leveldb::Snapshot* s) { db.ReleaseSnapshot(s); };
    const std::unique_ptr<const leveldb::Snapshot, decltype(release)> now(db.GetSnapshot(),
                                                                          release);
    leveldb::ReadOptions read;
    read.snapshot = now.get();
    const auto hidden = load_erasing(db, read);
    if (!hidden) return hidden.error();
    return read_value(db, read, *hidden, key);
  }

  Result<std::unique_ptr<Snapshot>> snapshot() const override {
    const auto use = database_->use();
    if (!use) return use.error();
    const auto taken = database_->take_snapshot(*use);
    if (!taken) return taken.error();
    leveldb::ReadOptions read;
    read.snapshot = *taken;
    auto hidden = load_erasing(**use, read);
    if (!hidden) {
      database_->release_snapshot(*use, *taken);
      return hidden.error();
    }
    return std::unique_ptr<Snapshot>(
        new LevelDbSnapshot(database_, *use, *taken, std::move(*hidden)));
  }

  Result<bool> erases(std::string_view from, std::string_view to) const override {
    if (!writer_.hides_ranges()) return false;
    const auto use = database_->use();
    if (!use) return use.error();
    const auto hidden = load_erasing(**use, {});
    if (!hidden) return hidden.error();
    return std::ranges::any_of(
        *hidden, [&](const ErasingRange& range) { return overlaps(range, from, to); });
  }

  void compact(std::string_view from, std::string_view to) override {
    writer_.compact(std::string(from), std::string(to));
  }
  Result<> check_files(const FileCheck& check) const override {
    return storage::check_files(*database_, check);
  }
  Report report() const override { return writer_.report(); }
  void close() override {
    writer_.close();
    database_->close();
  }

 private:
  const std::shared_ptr<Database> database_;
  Writer writer_;
};

}  // namespace

std::string_view name_of(State state) {
  static constexpr std::array<std::string_view, 4> kNames = {"running", "full", "stopped",
                                                             "closed"};
  return kNames.at(static_cast<std::size_t>(state));
}

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  auto database = Database::open(options);
  if (!database) return database.error();
  ErasingRanges ranges;
  {
    const auto use = (*database)->use();
    if (!use) return use.error();
    if (auto loaded = ranges.load(**use); !loaded) return loaded.error();
  }
  return std::unique_ptr<Store>(new LevelDbStore(std::move(*database), options, std::move(ranges)));
}

}  // namespace starbus::storage
