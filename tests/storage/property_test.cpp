/// Random batches beside a std::map, through restarts, crashes and full disks. The seed is in the
/// trace of a failure; STARBUS_LONG=1 (scripts/test --long) runs ten times as many.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <random>

#include "storage/recovery/repair.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/places.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

using testing::Call;
using testing::FaultEnv;

class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::string key() {
    return std::string(1, static_cast<char>('a' + below(4))) + number(below(60));
  }

  /// A batch, and what it makes of the content.
  Batch batch(test::Content& content) {
    Batch batch;
    const auto [from, to] = std::minmax({key(), key()});
    const bool erases = below(4) == 0;
    if (erases) {
      batch.erase_range(from, to);
      content.erase(content.lower_bound(from), content.lower_bound(to));
    }
    for (std::uint64_t i = below(6); i > 0; --i) {
      const std::string at = key();
      if (erases && at >= from && at < to) continue;  // bad_batch
      if (below(4) == 0) {
        batch.erase(at);
        content.erase(at);
      } else {
        std::string value(below(below(10) == 0 ? 20'000 : 300), static_cast<char>(random_()));
        batch.put(at, value);
        content[at] = std::move(value);
      }
    }
    return batch;
  }

 private:
  static std::string number(std::uint64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); }
  std::mt19937_64 random_;
};

void run(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Model model(seed);
  const test::TempFolder folder;
  FaultEnv env;
  const StoreOptions options{.folder = folder.path() / "s",
                             .env = &env,
                             .headroom = 1,
                             .write_buffer = 65536,
                             .space_retry = std::chrono::milliseconds(1),
                             .repair_logs = repair_logs};
  auto store = test::open_or_fail(options);
  test::Content content;
  for (int step = 0; step < 150 && store != nullptr; ++step) {
    switch (model.below(30)) {
      case 0:
        store.reset();
        store = test::open_or_fail(options);
        break;
      case 1:
        store.reset();
        env.lose_unsynced(static_cast<FaultEnv::Loss>(model.below(4)), seed);
        store = test::open_or_fail(options);
        break;
      case 2:
        store->compact("", "");
        break;
      case 3: {
        env.fail(Call::append, 1 + model.below(4), ENOSPC, model.below(2) == 0, ".log");
        test::Content next = content;
        if (test::commit(*store, model.batch(next))) content = std::move(next);
        env.heal();
        ASSERT_TRUE(test::reaches(*store, State::running)) << store->report().reason.to_string();
        break;
      }
      case 4: {
        const PageLimit limit{.records = 1 + model.below(20), .bytes = model.below(5000)};
        EXPECT_TRUE(test::read_all(*store, limit).content == content);
        break;
      }
      case 5: {
        const auto [from, to] = std::minmax({model.key(), model.key()});
        const Page page = store->snapshot().value()->scan(from, to).value();
        auto expected = content.lower_bound(from);
        for (const Record& record : page.records) {
          ASSERT_NE(expected, content.end());
          EXPECT_EQ(record.key, expected->first);
          EXPECT_EQ(record.value, expected++->second);
        }
        EXPECT_EQ(expected, content.lower_bound(to));
        break;
      }
      case 6: {
        // Many at once: they end in the same groups.
        test::Outcomes outcomes;
        constexpr std::size_t kMany = 40;
        for (std::size_t i = 0; i < kMany; ++i) {
          ASSERT_TRUE(store->commit(model.batch(content), outcomes.next()));
        }
        outcomes.wait(kMany);
        EXPECT_EQ(outcomes.acknowledged(), kMany);
        break;
      }
      default: {
        ASSERT_TRUE(test::commit(*store, model.batch(content)));
        const std::string key = model.key();
        const auto found = content.find(key);
        const auto value = store->get(key).value();
        EXPECT_EQ(value.has_value(), found != content.end());
        EXPECT_TRUE(!value || found == content.end() || *value == found->second);
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
  ASSERT_NE(store, nullptr);
  EXPECT_TRUE(test::content_of(*store) == content);
}

TEST(StorageProperties, AStoreIsAMap) {
  const std::uint64_t seeds = long_runs() ? 600 : 60;
  for (std::uint64_t seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) run(seed);
}

}  // namespace
}  // namespace starbus::storage
