/// A store of mail with mailboxes as Mail would have written them, and ways to spoil it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/wire/name.hpp"
#include "mail/rows.hpp"
#include "storage/recovery/repair.hpp"
#include "tests/storage/recovery/damage.hpp"
#include "tests/storage/support.hpp"

namespace starbus::mail::test {

namespace fs = std::filesystem;
using storage::test::commit;

struct Place {
  std::uint8_t shard;
  ChannelId id;
};
inline Place place_of(const std::string& name) {
  const ChannelId id = channel_id(name);
  return {bus::shard_of(id), id};
}

/// The body of each message of these tests.
inline std::string body_of(const std::string& box, std::uint64_t number) {
  return box + " #" + std::to_string(number);
}

class FilledStore {
 public:
  explicit FilledStore(const std::string& name = "mail") : path_(folder_.path() / name) { open(); }
  ~FilledStore() { close(); }

  void open() { store_ = storage::test::open_or_fail(options()); }
  void close() { store_.reset(); }
  /// Opening moves the log into a table.
  void move_into_a_table() {
    close();
    open();
  }
  storage::StoreOptions options() const {
    return {.folder = path_, .headroom = 1, .repair_logs = storage::repair_logs};
  }
  storage::Store& store() { return *store_; }
  const fs::path& path() const { return path_; }
  const fs::path& folder() const { return folder_.path(); }

  /// Messages floor+1 to last.
  void fill(const std::string& box, std::uint64_t floor, std::uint64_t last) {
    const auto [shard, id] = place_of(box);
    storage::Batch batch;
    BoxRow row{.name = box, .last = last, .floor = floor};
    for (std::uint64_t number = 1; number <= last; ++number) {
      const std::string body = body_of(box, number);
      row.total += body.size();
      if (number <= floor) row.floor_total = row.total;
      if (number > floor) {
        batch.put(message_key(shard, id, number),
                  encode(MessageRow{1'000 + number, row.total, {}, body}));
      }
    }
    batch.put(box_key(shard, id), encode(row));
    totals_[shard].add(row);
    batch.put(shard_key(shard), encode(ShardRow{Epoch::of(1, 5), totals_[shard]}));
    must(commit(*store_, std::move(batch)));
  }
  void put(const std::string& key, const std::string& value) {
    must(commit(*store_, storage::test::put(key, value)));
  }
  void erase(const std::string& key) {
    storage::Batch batch;
    batch.erase(key);
    must(commit(*store_, std::move(batch)));
  }
  std::unique_ptr<storage::Snapshot> snapshot() {
    auto taken = store_->snapshot();
    if (!taken) throw std::runtime_error(taken.error().to_string());
    return std::move(*taken);
  }
  /// Flips a bit of the first bytes of `text`, so many, in a file of this kind. Closes.
  bool flip_at(const std::string& text, const std::string& extension = ".ldb",
               std::size_t bytes = 1) {
    close();
    return storage::test::flip_bit_of(text, path_, extension, bytes);
  }

 private:
  static void must(const storage::Result<>& result) {
    EXPECT_TRUE(result) << result.error().to_string();
  }

  storage::test::TempFolder folder_;
  fs::path path_;
  std::unique_ptr<storage::Store> store_;
  std::map<std::uint8_t, Totals> totals_;
};

}  // namespace starbus::mail::test
