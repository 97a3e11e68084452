// A store of mail whose files a disk has changed: what was acknowledged is read as it was, or its
// loss is told; nothing comes twice, and no number is given again.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "base/text_of_file.hpp"
#include "mail/repair/check.hpp"
#include "mail/repair/inspect.hpp"
#include "mail/repair/noted_damage.hpp"
#include "mail/row_keys.hpp"
#include "storage/recovery/repair.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using test::body_of;
using test::place_of;

constexpr int kBoxes = 12;

std::string box_at(int i) {
  return "player/" + std::to_string(i);
}
/// Long enough for some blocks.
std::string long_body(const std::string& box, std::uint64_t number) {
  return body_of(box, number) + std::string(200, '.');
}

class DamagedMail : public testing::Test {
 protected:
  /// In three tables and a log: each mailbox in each of them, with what was acknowledged meanwhile.
  DamagedMail() {
    for (std::uint64_t part = 0; part < 4; ++part) {
      const auto store = storage::test::open_or_fail(options("original"));
      for (int i = 0; i < kBoxes * 4; ++i) post(*store, box_at(i % kBoxes), part);
    }
  }

  void post(storage::Store& store, const std::string& name, std::uint64_t floor) {
    const auto [shard, id] = place_of(name);
    BoxRow& row = boxes_[name];
    Totals& totals = totals_[shard];
    storage::Batch batch;
    totals.boxes += row.last == 0 ? 1 : 0;
    row.name = name;
    const std::string body = long_body(name, ++row.last);
    row.total += body.size();
    batch.put(message_key(shard, id, row.last),
              encode(MessageRow{1'000 + row.last, row.total, {}, body}));
    ++totals.messages;
    totals.bytes += body.size();
    while (row.floor < floor) {
      batch.erase(message_key(shard, id, ++row.floor));
      row.floor_total += long_body(name, row.floor).size();
      --totals.messages;
      totals.bytes -= long_body(name, row.floor).size();
    }
    batch.put(box_key(shard, id), encode(row));
    batch.put(shard_key(shard), encode(ShardRow{Epoch::of(1, 5), totals}));
    ASSERT_TRUE(storage::test::commit(store, std::move(batch)));
  }

  storage::StoreOptions options(const std::string& name = "copy") const {
    return {.folder = folder_.path() / name, .headroom = 1, .repair_logs = storage::repair_logs};
  }
  std::filesystem::path copy() const { return folder_.path() / "copy"; }
  void copy_original() const {
    std::filesystem::remove_all(copy());
    std::filesystem::copy(folder_.path() / "original", copy());
  }
  void change(const std::string& name, const std::function<void(std::string&)>& how) const {
    std::string bytes = text_of_file(copy() / name);
    how(bytes);
    std::ofstream(copy() / name, std::ios::binary | std::ios::trunc) << bytes;
  }

  /// As busd does it; null: it cannot be.
  std::unique_ptr<storage::Store> repair() {
    steps_.clear();
    const auto repaired = storage::repair_store(options());
    EXPECT_TRUE(repaired) << repaired.error().to_string();
    auto store = storage::test::open_or_fail(options());
    if (store == nullptr) return nullptr;
    const auto noted = repair_noted(*store, options(), [this](const RepairStep& step) {
      steps_.push_back(step);
      return true;
    });
    EXPECT_TRUE(noted) << noted.error().to_string();
    notes_ = storage::read_damage(options()).value();
    for (const auto& note : notes_) EXPECT_TRUE(note.settled || !note.lost);
    return store;
  }

  bool is_told(const test::Place& place, std::uint64_t number) const {
    const auto by_step = [&](const RepairStep& step) {
      return step.action == RepairAction::lost && step.id == place.id && step.first <= number &&
             number <= step.last;
    };
    return std::ranges::any_of(steps_, by_step) ||
           is_noted(message_key(place.shard, place.id, number)) ||
           is_noted(box_key(place.shard, place.id));
  }
  bool is_noted(const std::string& key) const {
    return std::ranges::any_of(notes_, [&](const storage::DamageNote& note) {
      return note.lost &&
             (note.elsewhere || std::ranges::any_of(note.ranges, [&](const auto& range) {
                return range.from <= key && (range.to.empty() || key < range.to);
              }));
    });
  }

  void expect_told_or_read(storage::Store& store, bool nothing_lost) {
    const auto snapshot = store.snapshot().value();
    for (const auto& [name, row] : boxes_) {
      SCOPED_TRACE(name);
      const auto place = place_of(name);
      const auto box = find_box(*snapshot, name);
      ASSERT_TRUE(box);
      std::map<std::uint64_t, Peeked> found;
      if (*box) {
        const auto page = peek(*snapshot, **box, 0, 1'000);
        for (const Peeked& message : page->messages) found.emplace(message.number, message);
      }
      const std::uint64_t last = *box ? (*box)->row.last : 0;
      if (last < row.last) {
        ASSERT_TRUE(is_noted(box_key(place.shard, place.id)))
            << "numbers from " << last + 1 << " would be given again without a word";
      }
      ASSERT_FALSE(nothing_lost && last != row.last);
      for (std::uint64_t number = row.floor + 1; number <= row.last; ++number) {
        const auto message = found.find(number);
        const bool is_read = message != found.end() && message->second.trouble.empty();
        if (is_read) {
          ASSERT_EQ(message->second.body, long_body(name, number));
        } else {
          ASSERT_FALSE(nothing_lost) << number;
          ASSERT_TRUE(is_told(place, number)) << number << " is lost without a word";
        }
      }
    }
    const auto report = check_store(*snapshot);
    ASSERT_TRUE(report);
    // Where nobody knows which writes of a log are lost, readers are told when they come there.
    const bool unknown = std::ranges::any_of(notes_, &storage::DamageNote::elsewhere);
    if (unknown) return;
    for (const Finding& finding : report->findings) {
      EXPECT_TRUE(is_note(finding.problem)) << finding.to_string() << "\n" << told();
    }
  }
  std::string told() const {
    std::string text;
    for (const auto& note : notes_) {
      text += note.file + ": " + note.reason + "\n";
      for (const auto& range : note.ranges) {
        text += "  " + describe_key(range.from) + " to " + describe_key(range.to) + "\n";
      }
    }
    for (const RepairStep& step : steps_) text += step.to_string() + "\n";
    return text;
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "original")) {
      if (entry.path().filename() != "LOCK") names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }
  std::uint64_t size_of(const std::string& name) const {
    return std::filesystem::file_size(folder_.path() / "original" / name);
  }

  storage::test::TempFolder folder_;
  std::map<std::string, BoxRow> boxes_;
  std::map<std::uint8_t, Totals> totals_;
  std::vector<RepairStep> steps_;
  std::vector<storage::DamageNote> notes_;
};

TEST_F(DamagedMail, OneWrongByteOfAnyFileLosesNothing) {
  std::mt19937 random(11);
  for (const std::string& name : files()) {
    const std::uint64_t size = size_of(name);
    for (std::uint64_t at = 0; at < size; at += 1 + random() % (size / 40 + 1)) {
      SCOPED_TRACE(name + " byte " + std::to_string(at));
      copy_original();
      change(name, [&](std::string& bytes) {
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1 + random() % 255));
      });
      const auto store = repair();
      ASSERT_NE(store, nullptr);
      EXPECT_TRUE(steps_.empty()) << steps_.front().to_string();
      expect_told_or_read(*store, true);
      if (HasFailure()) return;
    }
  }
}

TEST_F(DamagedMail, WhateverIsLostIsTold) {
  std::mt19937 random(12);
  for (const std::string& name : files()) {
    if (!name.ends_with(".ldb") && !name.ends_with(".log")) continue;
    const std::uint64_t size = size_of(name);
    for (const std::size_t length : {2U, 64U, 512U, 6000U}) {
      for (std::uint64_t at = 0; at < size; at += 1 + random() % (size / 12 + 1)) {
        SCOPED_TRACE(name + ": " + std::to_string(length) + " bytes at " + std::to_string(at));
        copy_original();
        change(name, [&](std::string& bytes) {
          for (std::size_t i = at; i < std::min<std::size_t>(size, at + length); ++i) {
            bytes[i] = length == 512 ? '\0' : static_cast<char>(bytes[i] ^ 0x55);
          }
        });
        // Of a log the last write may look as if it had been torn: that is no damage.
        const bool at_the_end = name.ends_with(".log") && at + length + 700 > size;
        const auto store = repair();
        ASSERT_NE(store, nullptr);
        if (!at_the_end) expect_told_or_read(*store, false);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(DamagedMail, AFileThatIsGoneIsTold) {
  for (const std::string& name : files()) {
    SCOPED_TRACE(name);
    copy_original();
    std::filesystem::remove(copy() / name);
    const auto store = repair();
    ASSERT_NE(store, nullptr);
    EXPECT_FALSE(notes_.empty());
    expect_told_or_read(*store, name == "CURRENT");
    const auto texts = describe(*store->snapshot().value(), notes_, 3);
    ASSERT_EQ(texts.size(), notes_.size());
    if (size_of(name) > 5'000 && name.ends_with(".ldb")) {
      EXPECT_NE(texts.front().find("the file is gone; of player/"), std::string::npos)
          << texts.front();
    }
  }
}

TEST_F(DamagedMail, NumbersOfALogThatHasLostAWriteAreNotGivenAgain) {
  // Within the last write of a mailbox: its row is sound there, the message is not.
  std::string name;
  for (const std::string& file : files()) name = file.ends_with(".log") ? file : name;
  const std::string box = box_at(3);
  const std::uint64_t last = boxes_[box].last;
  copy_original();
  change(name, [&](std::string& bytes) {
    const std::size_t at = bytes.find(body_of(box, last));
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at + 5, 40, 40, '!');
  });
  const auto store = repair();
  ASSERT_NE(store, nullptr);
  const auto snapshot = store->snapshot().value();
  const auto found = find_box(*snapshot, box);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->row.last, last);
  const auto page = peek(*snapshot, **found, last, 1);
  ASSERT_EQ(page->messages.size(), 1U);
  EXPECT_EQ(page->messages.front().trouble, kLost);
  ASSERT_FALSE(steps_.empty());
  EXPECT_EQ(steps_.front().to_string(), box + ": lost " + std::to_string(last));
  const auto texts = describe(*snapshot, notes_, 3);
  EXPECT_NE(texts.front().find("; of " + box), std::string::npos) << texts.front();
}

TEST_F(DamagedMail, WhereAShardIsKeptIsToldWhenItIsLost) {
  copy_original();
  const std::uint8_t shard = place_of(box_at(1)).shard;
  const std::string row = encode(PlaceRow{Keeping::kept, 7, "b, whose name is found"});
  {
    const auto store = storage::test::open_or_fail(options());
    ASSERT_TRUE(storage::test::commit(*store, storage::test::put(place_key(shard), row)));
  }
  (void)storage::test::open_or_fail(options());  // into a table, its own or one with others
  for (const auto& entry : std::filesystem::directory_iterator(copy())) {
    if (entry.path().extension() != ".ldb") continue;
    change(entry.path().filename(), [&](std::string& bytes) {
      const std::size_t at = bytes.find(row);
      if (at != std::string::npos) bytes.replace(at, row.size(), row.size(), 'x');
    });
  }
  ASSERT_NE(repair(), nullptr);
  const auto told = std::ranges::find(steps_, RepairAction::place_unknown, &RepairStep::action);
  ASSERT_NE(told, steps_.end());
  EXPECT_EQ(told->detail, "of the shards " + std::to_string(shard));
}

}  // namespace
}  // namespace starbus::mail
