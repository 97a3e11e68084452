// The age of the oldest message that waits, found page by page.
#include "mail/repair/oldest.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using Clock = std::chrono::steady_clock;

TEST(OldestMailTest, RestsAfterEachPage) {
  test::FilledStore filled;
  storage::Batch batch;
  std::string last;
  // Rows of mailboxes are sorted by shard: the message stands in the last of them.
  test::Place place{};
  for (std::size_t i = 0; i <= kOldestPage; ++i) {
    const std::string name = "player/" + std::to_string(i);
    const test::Place here = test::place_of(name);
    const std::string key = box_key(here.shard, here.id);
    batch.put(key, encode(BoxRow{.name = name}));
    if (key < last) continue;
    last = key;
    place = here;
  }
  ASSERT_TRUE(test::commit(filled.store(), std::move(batch)));
  filled.put(last, encode(BoxRow{.name = "player/last", .last = 1, .total = 1}));
  filled.put(message_key(place.shard, place.id, 1), encode(MessageRow{77, 1, {}, "x"}));
  const Clock::time_point begin = Clock::now();
  const OldestMail oldest(filled.store());
  while (oldest.time_ms() == 0 && Clock::now() < begin + std::chrono::seconds(60)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(oldest.time_ms(), 77U);
  EXPECT_GE(Clock::now() - begin, kOldestRest) << "it is in the second page";
}

}  // namespace
}  // namespace starbus::mail
