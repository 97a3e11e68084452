#include "tools/bustop/rates.hpp"

#include <gtest/gtest.h>

#include "tools/bustop/render.hpp"

namespace starbus::bustop {
namespace {

DaemonReading reading(double at, std::uint64_t messages, std::uint64_t bytes_in) {
  DaemonReading result;
  result.name = "a";
  result.at_s = at;
  result.status.pid = 7;
  result.status.counters = {{"messages_forwarded", messages}, {"bytes_forwarded", messages * 100}};
  LinkInfo link;
  link.id = "1";
  link.peer = "a.gate-1";
  link.kind = "process";
  link.bytes_in = bytes_in;
  link.records_in = bytes_in / 100;
  result.links.push_back(link);
  return result;
}

TEST(Rates, AreDifferencesOverTime) {
  const auto rates = compute_rates({reading(10, 1000, 5000)}, {reading(12, 25'600, 2'405'000)});
  ASSERT_EQ(rates.size(), 1U);
  EXPECT_FALSE(rates[0].fresh);
  EXPECT_DOUBLE_EQ(rates[0].messages, 12'300);
  EXPECT_DOUBLE_EQ(rates[0].bytes, 1'230'000);
  EXPECT_DOUBLE_EQ(rates[0].links[0].rate->bytes_in, 1'200'000);
  EXPECT_DOUBLE_EQ(rates[0].links[0].rate->records_in, 12'000);
  EXPECT_EQ(render_rates(rates, 2, {}),
            "DAEMON   MSG/S  FORWARDED  NACK/S\n"
            "a       12.3 k   1.2 MB/s       0\n"
            "\n"
            "AT  LINK      KIND     REC/S IN        IN    OUT  BUNDLES/S IN  OUT  QUEUED\n"
            "a   a.gate-1  process    12.0 k  1.2 MB/s  0 B/s             0    0       -\n"
            "over 2.0 s\n");
}

TEST(Rates, CountersThatFellGiveNoRate) {
  const auto rates = compute_rates({reading(10, 1000, 5000)}, {reading(11, 3, 10)});
  EXPECT_TRUE(rates[0].fresh);
  EXPECT_FALSE(rates[0].links[0].rate);
}

TEST(Rates, AnotherProcessOfTheSameNameIsNew) {
  auto after = reading(11, 2000, 6000);
  after.status.pid = 8;
  EXPECT_TRUE(compute_rates({reading(10, 1000, 5000)}, {after})[0].fresh);
}

TEST(Rates, NewDaemonsLinksAndReadingsWithoutTimeBetween) {
  EXPECT_TRUE(compute_rates({}, {reading(11, 1, 1)})[0].fresh);
  auto before = reading(10, 1000, 5000);
  before.links[0].id = "2";  // the process came back with a new link
  EXPECT_FALSE(compute_rates({before}, {reading(11, 2000, 6000)})[0].links[0].rate);
  EXPECT_TRUE(compute_rates({reading(10, 1, 1)}, {reading(10, 2, 2)})[0].fresh);
}

TEST(Rates, DaemonsThatDidNotAnswerKeepTheirReason) {
  auto after = reading(11, 1, 1);
  after.trouble = {Errc::handler_failed, "503"};
  const auto rates = compute_rates({reading(10, 1, 1)}, {after});
  EXPECT_EQ(rates[0].trouble, Errc::handler_failed);
  EXPECT_NE(render_rates(rates, 1, {}).find("503"), std::string::npos);
}

}  // namespace
}  // namespace starbus::bustop
