/// Exactly once and in order over a network that does everything wrong but lie: hundreds of seeds.
/// STARBUS_SEED=n runs that seed alone; STARBUS_LONG=1 (scripts/test --long) a hundred times as
/// many.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "tests/bus/core/ends/delivery_simulation.hpp"
#include "tests/places.hpp"

namespace starbus::bus {
namespace {

constexpr std::uint64_t kSeeds = 1000;

/// The broken promise, if there is one.
std::optional<std::string> run_seed(std::uint64_t seed, Sabotage sabotage,
                                    std::size_t* handled = nullptr) {
  DeliverySimulation simulation(seed, sabotage);
  try {
    simulation.run();
  } catch (const BrokenPromise& broken) {
    return broken.what();
  }
  if (handled) *handled += simulation.oracle().handled_count();
  return std::nullopt;
}

TEST(Delivery, KeepsItsPromisesOverAHostileNetwork) {
  std::uint64_t first = 0;
  std::uint64_t last = long_runs() ? 100 * kSeeds : kSeeds;
  if (const char* seed = std::getenv("STARBUS_SEED")) {
    first = std::strtoull(seed, nullptr, 10);
    last = first + 1;
  }
  std::size_t handled = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const auto broken = run_seed(seed, Sabotage::none, &handled);
    ASSERT_FALSE(broken) << "STARBUS_SEED=" << seed << ": " << *broken;
  }
  EXPECT_GT(handled, (last - first) * 100);
  RecordProperty("handled", std::to_string(handled));
}

TEST(Delivery, RepeatsASeedExactly) {
  DeliverySimulation one(7, Sabotage::none);
  DeliverySimulation two(7, Sabotage::none);
  one.run();
  two.run();
  EXPECT_EQ(one.oracle().issued_count(), two.oracle().issued_count());
  EXPECT_EQ(one.oracle().handled_count(), two.oracle().handled_count());
  EXPECT_EQ(one.oracle().failed_count(), two.oracle().failed_count());
}

class BrokenDelivery : public testing::TestWithParam<Sabotage> {};

TEST_P(BrokenDelivery, IsNoticed) {
  int noticed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) noticed += run_seed(seed, GetParam()).has_value();
  EXPECT_GT(noticed, 0) << "the oracle must bite";
  RecordProperty("noticed_of_40", noticed);
}

std::string name_of_sabotage(const testing::TestParamInfo<Sabotage>& info) {
  switch (info.param) {
    case Sabotage::none:
      break;
    case Sabotage::no_prev:
      return "no_prev";
    case Sabotage::no_lineage:
      return "no_lineage";
    case Sabotage::filter_forgotten:
      return "filter_forgotten";
    case Sabotage::ack_on_the_way:
      return "ack_on_the_way";
  }
  return "none";
}

INSTANTIATE_TEST_SUITE_P(Rules, BrokenDelivery,
                         testing::Values(Sabotage::no_prev, Sabotage::no_lineage,
                                         Sabotage::filter_forgotten, Sabotage::ack_on_the_way),
                         name_of_sabotage);

}  // namespace
}  // namespace starbus::bus
