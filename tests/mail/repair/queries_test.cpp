// Questions and backups beside a store that is in use.
#include "mail/repair/queries.hpp"

#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "storage/testing/fault_env.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using test::FilledStore;
using testing::HasSubstr;

/// Waits for the end of a backup.
Queries::Backup end_of(const Queries& queries) {
  for (int i = 0; i < 6'000; ++i) {
    const Queries::Backup backup = queries.backup();
    if (backup.state != Queries::BackupState::running) return backup;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return {};
}

TEST(Queries, AnswersInTurnAndRefusesTooMany) {
  FilledStore filled;
  filled.fill("player/1", 0, 1);
  Queries queries(filled.store());
  std::promise<void> held;
  std::promise<void> release;
  ASSERT_TRUE(queries.ask([&](const auto& snapshot) {
    EXPECT_TRUE(snapshot);
    held.set_value();
    release.get_future().wait();
  }));
  held.get_future().wait();
  std::vector<std::size_t> order;
  std::promise<void> last;
  for (std::size_t i = 0; i < kStoreQuestions; ++i) {
    ASSERT_TRUE(queries.ask([&, i](const auto&) {
      order.push_back(i);
      if (i + 1 == kStoreQuestions) last.set_value();
    }));
  }
  EXPECT_FALSE(queries.ask([](const auto&) {})) << "one too many";
  release.set_value();
  last.get_future().wait();
  ASSERT_EQ(order.size(), kStoreQuestions);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(Queries, ABackupIsOfOneMoment) {
  FilledStore filled;
  for (int i = 0; i < 100; ++i) filled.fill("player/" + std::to_string(i), 0, 20);
  const auto before = storage::test::content_of(filled.store());
  const auto target = filled.folder() / "backup";
  {
    Queries queries(filled.store());
    ASSERT_TRUE(queries.begin_backup(target, "a"));
    const Queries::Backup backup = end_of(queries);
    EXPECT_EQ(backup.state, Queries::BackupState::done) << backup.error.to_string();
    EXPECT_EQ(backup.facts.rows, before.size());
    const auto facts = read_backup_facts(target);
    ASSERT_TRUE(facts) << facts.error().to_string();
    BackupFacts told = backup.facts;
    EXPECT_EQ(std::exchange(told.boxes, 0), 100U) << "not in the file";
    EXPECT_EQ(std::exchange(told.messages, 0), 2'000U);
    EXPECT_EQ(*facts, told);
    EXPECT_EQ(facts->host, "a");
    ASSERT_TRUE(queries.begin_backup(target, "a"));
    EXPECT_THAT(end_of(queries).error.detail, HasSubstr("is not empty"));
  }
  const auto copy = storage::test::open_or_fail({.folder = target, .headroom = 1});
  EXPECT_EQ(storage::test::content_of(*copy), before);
}

TEST(Queries, WhatCannotBeABackupIsRefused) {
  FilledStore filled;
  Queries queries(filled.store());
  EXPECT_EQ(queries.begin_backup("relative", "a").error(), storage::Errc::bad_batch);
  ASSERT_TRUE(queries.begin_backup(filled.folder() / "no" / "parent", "a"));
  const Queries::Backup backup = end_of(queries);
  EXPECT_EQ(backup.state, Queries::BackupState::failed);
  EXPECT_THAT(backup.error.detail, HasSubstr("there is no folder"));
}

TEST(Queries, ABackupWithinAStoreIsRefused) {
  FilledStore filled;
  filled.fill("player/1", 0, 3);
  Queries queries(filled.store());
  std::filesystem::create_directories(filled.path() / "sub");
  std::filesystem::create_directory_symlink(filled.path(), filled.folder() / "link");
  for (const auto& target : {filled.path() / "new", filled.path() / "sub",
                             filled.path() / "sub" / "new", filled.folder() / "link" / "new"}) {
    ASSERT_TRUE(queries.begin_backup(target, "a"));
    const Queries::Backup backup = end_of(queries);
    EXPECT_EQ(backup.state, Queries::BackupState::failed) << target;
    EXPECT_THAT(backup.error.detail, HasSubstr("is within the folder of a store"));
  }
  EXPECT_FALSE(std::filesystem::exists(filled.path() / "new"));
  ASSERT_TRUE(queries.begin_backup(filled.folder() / "beside", "a"));
  EXPECT_EQ(end_of(queries).state, Queries::BackupState::done);
}

TEST(Queries, ADamagedRowIsCountedAndTheRestIsCopied) {
  FilledStore filled;
  for (int i = 0; i < 20; ++i) filled.fill("player/" + std::to_string(i), 0, 20);
  filled.move_into_a_table();
  ASSERT_TRUE(filled.flip_at(test::body_of("player/7", 10)));
  filled.open();
  Queries queries(filled.store());
  ASSERT_TRUE(queries.begin_backup(filled.folder() / "backup", "a"));
  const Queries::Backup backup = end_of(queries);
  EXPECT_EQ(backup.state, Queries::BackupState::done) << backup.error.to_string();
  EXPECT_GT(backup.facts.damaged, 0U);
  EXPECT_GT(backup.facts.rows, 300U);
}

TEST(Queries, GoesAwayWhileABackupRuns) {
  FilledStore filled;
  for (int i = 0; i < 100; ++i) filled.fill("player/" + std::to_string(i), 0, 100);
  const auto target = filled.folder() / "backup";
  {
    Queries queries(filled.store());
    ASSERT_TRUE(queries.begin_backup(target, "a"));
    const auto second = queries.begin_backup(filled.folder() / "other", "a");
    EXPECT_TRUE(second || second.error() == storage::Errc::would_block);
    queries.stop_backup();
  }
  // It had either ended before, or it has no mark.
  const auto facts = read_backup_facts(target);
  EXPECT_TRUE(facts || facts.error() == storage::Errc::io_error);
}

TEST(BackupFacts, ACutFileIsNone) {
  const BackupFacts facts{"host", 1, 2, 3, 4, 5};
  const std::string text = encode(facts);
  EXPECT_EQ(decode_backup_facts(text), facts);
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(decode_backup_facts(std::string_view(text).substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_backup_facts(text + "x"));
  EXPECT_FALSE(decode_backup_facts(std::string(10'000, 'x')));
  EXPECT_FALSE(decode_backup_facts(encode({std::string(kLongestFacts, 'h'), 1, 2, 3, 4, 5})));
}

}  // namespace
}  // namespace starbus::mail
