#include "mail/box_cache.hpp"

#include "tests/mail/mail_fixture.hpp"

namespace starbus::mail::test {
namespace {

/// A store that counts how often it is asked for one key.
class CountingStore final : public storage::Store {
 public:
  storage::Result<> commit(storage::Batch, Completion) override { return {}; }
  storage::Result<std::optional<std::string>> get(std::string_view) const override {
    ++asked;
    return std::optional<std::string>();
  }
  storage::Result<std::unique_ptr<storage::Snapshot>> snapshot() const override {
    return storage::Error(storage::Errc::closed, "none");
  }
  storage::Result<bool> erases(std::string_view, std::string_view) const override { return false; }
  void compact(std::string_view, std::string_view) override {}
  storage::Result<> check_files(const storage::FileCheck&) const override { return {}; }
  storage::Report report() const override { return {}; }
  void close() override {}

  mutable std::size_t asked = 0;
};

class BoxCacheTest : public testing::Test {
 protected:
  static constexpr std::size_t kGeneration = 8;

  static ChannelId box(std::size_t i) { return channel_id("player/" + std::to_string(i)); }
  /// A batch that posts to one box; its number there.
  std::uint64_t post(std::size_t i) {
    const auto found = cache.find(shard_of(box(i)), box(i));
    EXPECT_TRUE(found);
    const BoxCache::Box box_now =
        *found ? **found : cache.make(box(i), std::to_string(i), PostTarget::mailbox);
    cache.touch(box(i));
    const std::uint64_t number = ++box_now.row->last;
    cache.keep([](const ChannelId&, const BoxRow&) {});
    return number;
  }

  CountingStore store;
  BoxCache cache{store, kGeneration};
};

TEST_F(BoxCacheTest, WhatIsInUseIsKnownWithoutTheDisk) {
  for (std::uint64_t round = 1; round <= 20; ++round) {
    for (std::size_t i = 0; i < kGeneration; ++i) EXPECT_EQ(post(i), round) << "box " << i;
  }
  EXPECT_EQ(store.asked, kGeneration) << "each of them once";
}

TEST_F(BoxCacheTest, WhatOthersHaveNotDrivenOutForAGenerationIsKnown) {
  EXPECT_EQ(post(0), 1U);
  for (std::size_t i = 1; i < kGeneration; ++i) post(i);
  const std::size_t before = store.asked;
  EXPECT_EQ(post(0), 2U) << "of the old generation";
  EXPECT_EQ(store.asked, before);
}

TEST_F(BoxCacheTest, IsBounded) {
  post(0);
  for (std::size_t i = 1; i <= 3 * kGeneration; ++i) post(i);
  const std::size_t before = store.asked;
  EXPECT_EQ(post(0), 1U) << "this store has nothing";
  EXPECT_EQ(store.asked, before + 1);
}

TEST_F(BoxCacheTest, ABatchThatNeverWasLeavesNothing) {
  post(0);
  const auto found = cache.find(shard_of(box(0)), box(0));
  ASSERT_TRUE(found && *found);
  cache.touch(box(0));
  (*found)->row->last = 77;
  cache.drop();
  const std::size_t before = store.asked;
  EXPECT_EQ(post(0), 1U);
  EXPECT_EQ(store.asked, before + 1) << "as the disk has it";
}

TEST_F(BoxCacheTest, NothingOfAShardThatHasGoneIsKnownInEitherGeneration) {
  for (std::size_t i = 0; i < kGeneration + 2; ++i) post(i);
  for (std::size_t i = 0; i < kGeneration + 2; ++i) cache.forget(shard_of(box(i)));
  const std::size_t before = store.asked;
  for (std::size_t i = 0; i < kGeneration + 2; ++i) EXPECT_EQ(post(i), 1U);
  EXPECT_EQ(store.asked, before + kGeneration + 2);
}

}  // namespace
}  // namespace starbus::mail::test
