// The table [gate] of a gate: budgets and compression.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nodes/gate/node/gate.hpp"
#include "nodes/gate/node/limits.hpp"

namespace starbus::nodes::gate {
namespace {

class GateSettingsTest : public ::testing::Test {
 protected:
  std::string problems(const std::string& downlink) {
    auto reader = daemon::ConfigReader::parse(
        "[[gate.listeners]]\naddress = '127.0.0.1:1'\ntls = false\n[gate.downlink]\n" + downlink,
        "gate.toml");
    EXPECT_TRUE(reader);
    settings_ = read_gate_settings(*reader);
    const auto finished = reader->finish();
    return finished ? "" : finished.error().detail;
  }
  GateSettings settings_;
};

TEST_F(GateSettingsTest, BudgetsAreReadAndHaveDefaults) {
  EXPECT_EQ(problems(""), "");
  EXPECT_EQ(settings_.budget, Budget{});
  EXPECT_EQ(settings_.compress_above, 0U);
  EXPECT_EQ(problems("client_rate = '64KiB'\nclient_burst = '128KiB'\ngate_rate = '10MiB'\n"
                     "compression = 'deflate'\ncompress_above = '1KiB'"),
            "");
  EXPECT_EQ(settings_.budget, (Budget{64_KiB, 128_KiB, 10_MiB}));
  EXPECT_EQ(settings_.compress_above, 1_KiB);
  EXPECT_EQ(problems("client_rate = 0\ngate_rate = 0"), "");
}

TEST_F(GateSettingsTest, BudgetsHaveBounds) {
  using ::testing::HasSubstr;
  EXPECT_THAT(problems("client_rate = 100"), HasSubstr("0 for no bound"));
  EXPECT_THAT(problems("client_burst = 100"), HasSubstr("client_burst"));
  EXPECT_THAT(problems("gate_rate = '4KiB'"), HasSubstr("0 for no bound"));
  EXPECT_THAT(problems("gate_rate = '2000000MiB'"), HasSubstr("gate_rate"));
  EXPECT_THAT(problems("compression = 'zstd'"), HasSubstr("\"none\" or \"deflate\""));
  EXPECT_THAT(problems("compression = 'deflate'\ncompress_above = 1"), HasSubstr("compress_above"));
}

}  // namespace
}  // namespace starbus::nodes::gate
