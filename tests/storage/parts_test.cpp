/// The parts below a store: checksums, envelopes, batches, limits.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/crc32c.hpp"
#include "storage/batch.hpp"
#include "storage/envelope.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {
namespace {

TEST(Envelope, HasTheBytesOfTheFormat) {
  std::string sealed;
  seal("k", "v", sealed);
  ASSERT_EQ(sealed.size(), kEnvelope + 1);
  EXPECT_EQ(sealed.substr(4), "\x01v");
  const std::uint32_t crc = crc32c(0, "k\x01v");
  EXPECT_EQ(static_cast<unsigned char>(sealed[0]), crc & 255);
  EXPECT_EQ(static_cast<unsigned char>(sealed[3]), crc >> 24);
}

TEST(Envelope, FindsEveryFlippedBitAndForeignKeys) {
  std::string sealed;
  seal("mb/7", "a body", sealed);
  ASSERT_EQ(unseal("mb/7", sealed).value(), "a body");
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    std::string damaged = sealed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto value = unseal("mb/7", damaged);
    ASSERT_FALSE(value) << bit;
    EXPECT_EQ(value.error().code, Errc::corrupt);
    EXPECT_EQ(value.error().key, "mb/7");
  }
  EXPECT_EQ(unseal("mb/8", sealed).error().code, Errc::corrupt) << "the value of another key";
  EXPECT_EQ(unseal("mb/7", "1234").error().code, Errc::corrupt);
}

TEST(Envelope, OfANewerVersionIsRefused) {
  const std::string text = "\x02v";
  const std::uint32_t crc = crc32c(0, "k" + text);
  std::string sealed;
  for (unsigned shift = 0; shift < 32; shift += 8) sealed += static_cast<char>(crc >> shift);
  EXPECT_EQ(unseal("k", sealed + text).error().code, Errc::newer_format);
}

TEST(BatchTest, KeepsItsOperationsInOrder) {
  Batch batch;
  EXPECT_TRUE(batch.empty());
  batch.erase("a");
  EXPECT_TRUE(batch.only_erases());
  batch.erase_range("b", "d");
  batch.erase_range("d", "b");  // nothing
  batch.put("e", "value");
  EXPECT_FALSE(batch.only_erases());
  EXPECT_EQ(batch.operations(), 3u);
  EXPECT_TRUE(batch.check());
  std::string seen;
  batch.for_each([&](Batch::Kind kind, std::string_view first, std::string_view second) {
    seen += std::to_string(static_cast<int>(kind)) + std::string(first);
    if (kind == Batch::Kind::put) second = unseal(first, second).value();
    seen += "=" + std::string(second) + " ";
  });
  EXPECT_EQ(seen, "1a= 2b=d 0e=value ");
}

TEST(BatchTest, SaysWhatIsWrongWithIt) {
  const auto check = [](auto fill) {
    Batch batch;
    fill(batch);
    const auto result = batch.check();
    return result ? Errc::ok : result.error().code;
  };
  const std::string long_key(kMaxKey + 1, 'k');
  EXPECT_EQ(check([](Batch& b) { b.put("", "v"); }), Errc::bad_batch);
  EXPECT_EQ(check([](Batch& b) { b.erase(std::string(1, '\0')); }), Errc::bad_batch);
  EXPECT_EQ(check([&](Batch& b) { b.put(long_key, "v"); }), Errc::too_large);
  EXPECT_EQ(check([&](Batch& b) { b.put(long_key.substr(1), "v"); }), Errc::ok);
  const std::string largest(kMaxValue, 'v');
  EXPECT_EQ(check([&](Batch& b) { b.put("k", largest); }), Errc::ok);
  EXPECT_EQ(check([&](Batch& b) { b.put("k", largest + "v"); }), Errc::too_large);
  EXPECT_EQ(check([&](Batch& b) {
              b.put("k", largest);
              b.put("l", largest);
            }),
            Errc::too_large);
  EXPECT_EQ(check([&](Batch& b) {
              for (std::uint64_t i = 0; i <= kMaxBatchRanges; ++i) b.erase_range("a", "b");
            }),
            Errc::too_large);
  EXPECT_EQ(check([&](Batch& b) {
              b.put("b", "v");
              b.erase_range("a", "c");
            }),
            Errc::bad_batch);
  EXPECT_EQ(check([&](Batch& b) {
              b.erase_range("a", "c");
              b.put("c", "v");
            }),
            Errc::ok);
}

TEST(StorageErrors, NameThemselvesAndTheKey) {
  EXPECT_EQ(Error(Errc::store_full, "no room").to_string(), "store_full: no room");
  EXPECT_EQ(name_of(Errc::ok), "ok");
  EXPECT_EQ(name_of(Errc::in_use), "in_use");
  EXPECT_FALSE(info_of(Errc::corrupt)->meaning.empty());
  EXPECT_EQ(printable(std::string("mb/7\0\\", 6)), "mb/7\\x00\\x5c");
  EXPECT_EQ(printable(std::string(100, 'a')), std::string(64, 'a') + "...");
}

TEST(StorageLimits, FitTogether) {
  EXPECT_GE(kMaxBatch, kMaxValue + kMaxKey + 1024 * 1024);
  EXPECT_GE(kQueueBytes, 3 * kMaxBatch) << "else a large batch waits for an empty queue";
  EXPECT_GE(kPageBytes, kGroupBytes);
  EXPECT_GE(kHeadroom, 4 * kWriteBuffer);
  EXPECT_LT(kRangeInline, kRangeChunk);
  EXPECT_LT(kProbe, kHeadroom / 4);
  EXPECT_GE(kHeadroom / 4, 2 * kWriteBuffer) << "what is left to LevelDB when the reserve is used";
  EXPECT_LT(4 * kReserveBatch, kGroupBytes);
}

}  // namespace
}  // namespace starbus::storage
