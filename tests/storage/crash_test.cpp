/// Power cuts at every call that changes the disk: what was acknowledged is there, and nothing else
/// but perhaps the next few batches, in order and whole.
#include <gtest/gtest.h>

#include <vector>

#include "storage/recovery/repair.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

using testing::FaultEnv;

/// A script of batches, and what the store holds after each.
struct Script {
  std::vector<Batch> batches;
  std::vector<test::Content> states{{}};

  void add(Batch batch, test::Content next) {
    batches.push_back(std::move(batch));
    states.push_back(std::move(next));
  }
};

/// Puts, erases and small ranges; enough bytes for a new log and a table in between.
Script mixed_script() {
  Script script;
  for (int i = 0; i < 50; ++i) {
    test::Content next = script.states.back();
    Batch batch;
    const auto put = [&](const std::string& key, std::string value) {
      batch.put(key, value);
      next[key] = std::move(value);
    };
    if (i % 7 == 6) {
      batch.erase_range("a/3", "a/6");
      next.erase(next.lower_bound("a/3"), next.lower_bound("a/6"));
    } else {
      put("a/" + std::to_string(i % 13), std::string(2500, static_cast<char>('a' + i % 26)));
    }
    if (i % 5 == 4) {
      batch.erase("b/" + std::to_string(i - 1));
      next.erase("b/" + std::to_string(i - 1));
    }
    put("b/" + std::to_string(i), "small");
    put("number", std::to_string(i));
    script.add(std::move(batch), std::move(next));
  }
  return script;
}

/// A range that is erased in chunks, and a batch that puts into it.
Script large_range_script() {
  Script script;
  test::Content next;
  Batch fill;
  for (std::uint64_t i = 0; i < kRangeChunk + 500; ++i) {
    const std::string key = "r/" + std::to_string(i);
    fill.put(key, "v");
    next[key] = "v";
  }
  next["number"] = "0";
  fill.put("number", "0");
  script.add(std::move(fill), next);
  Batch range = test::erase_range("r/", "r0");
  range.put("number", "1");
  script.add(std::move(range), {{"number", "1"}});
  Batch other = test::put("s", "other");
  other.put("number", "2");
  script.add(std::move(other), {{"number", "2"}, {"s", "other"}});
  Batch into = test::put("r/77", "new");
  into.put("number", "3");
  script.add(std::move(into), {{"number", "3"}, {"r/77", "new"}, {"s", "other"}});
  return script;
}

struct Outcome {
  std::size_t submitted = 0;
  std::size_t acknowledged = 0;
};

/// Runs the script until the end or the cut, with a few batches in flight.
Outcome run_script(const Script& script, const StoreOptions& options, std::size_t in_flight) {
  Outcome run;
  test::Outcomes outcomes;
  {
    auto store = open_store(options);
    if (!store) return run;
    for (const Batch& batch : script.batches) {
      if (!(*store)->commit(Batch(batch), outcomes.next())) break;
      ++run.submitted;
      if (run.submitted > in_flight) outcomes.wait(run.submitted - in_flight);
    }
  }
  run.acknowledged = std::min(outcomes.acknowledged(), run.submitted);
  return run;
}

void expect_prefix(const Script& script, const Outcome& run, const StoreOptions& options,
                   const std::string& where) {
  SCOPED_TRACE(where);
  const auto store = test::open_or_fail(options);
  ASSERT_NE(store, nullptr);
  const test::Content content = test::content_of(*store);
  const auto number = content.find("number");
  const std::size_t kept = number == content.end() ? 0 : std::stoul(number->second) + 1;
  EXPECT_GE(kept, run.acknowledged) << "an acknowledged batch is lost";
  EXPECT_LE(kept, run.submitted);
  ASSERT_LT(kept, script.states.size());
  EXPECT_TRUE(content == script.states[kept]) << "a batch is there in part, after " << kept;
  EXPECT_TRUE(test::commit(*store, test::put("z", "goes on")));
}

/// Every `step`-th call, until the script comes to its end.
void cut_everywhere(const Script& script, FaultEnv::Loss loss, std::uint64_t step) {
  std::uint64_t cut = 1;
  for (bool reached = true; reached; cut += step) {
    const test::TempFolder folder;
    FaultEnv env;
    const StoreOptions options{.folder = folder.path() / "s",
                               .env = &env,
                               .headroom = 1,
                               .write_buffer = 65536,
                               .repair_logs = repair_logs};
    env.cut_power_at(cut);
    const Outcome run = run_script(script, options, cut % 4);
    reached = env.power_is_cut();
    env.lose_unsynced(loss, cut);
    env.heal();
    expect_prefix(script, run, options, "cut at call " + std::to_string(cut));
    if (::testing::Test::HasFailure()) return;
    if (!reached) {
      EXPECT_EQ(run.acknowledged, script.batches.size());
    }
  }
  EXPECT_GT(cut, 30u) << "too few calls to mean anything";
}

class CrashTest : public ::testing::TestWithParam<FaultEnv::Loss> {};

TEST_P(CrashTest, KeepsWhatWasAcknowledged) {
  cut_everywhere(mixed_script(), GetParam(), 1);
}

TEST_P(CrashTest, KeepsLargeRangesErased) {
  cut_everywhere(large_range_script(), GetParam(), 1);
}

INSTANTIATE_TEST_SUITE_P(Losses, CrashTest,
                         ::testing::Values(FaultEnv::Loss::all, FaultEnv::Loss::none,
                                           FaultEnv::Loss::torn, FaultEnv::Loss::garbage));

TEST(CrashOfTheTest, SeesASyncThatIsMissing) {
  // The test's own test: a disk that lies about its syncs loses what was acknowledged.
  const test::TempFolder folder;
  FaultEnv env;
  env.lie_about_syncs();
  const Script script = mixed_script();
  const StoreOptions options{
      .folder = folder.path() / "s", .env = &env, .headroom = 1, .repair_logs = repair_logs};
  const Outcome run = run_script(script, options, 0);
  EXPECT_EQ(run.acknowledged, script.batches.size());
  env.lose_unsynced(FaultEnv::Loss::all, 1);
  const auto store = open_store(options);
  EXPECT_TRUE(!store || test::content_of(**store) != script.states.back());
}

}  // namespace
}  // namespace starbus::storage
