#include "daemon/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>

#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using testing::HasSubstr;
using testing::Not;

double value_of(const std::string& text, const std::string& name) {
  for (const auto& line : test::lines_of(text)) {
    if (line.starts_with(name + " ")) return std::stod(line.substr(name.size()));
  }
  ADD_FAILURE() << name << " is not in\n" << text;
  return -1;
}

TEST(Metrics, ValuesAreReadWhenScraped) {
  Metrics metrics;
  std::uint64_t sent = 3;
  metrics.counter("starbus_sent_total", "Records sent.", [&] { return static_cast<double>(sent); });
  metrics.gauge("starbus_names", "Names.", [] { return 2.5; });
  EXPECT_THAT(metrics.text(), HasSubstr("# HELP starbus_sent_total Records sent.\n"
                                        "# TYPE starbus_sent_total counter\n"
                                        "starbus_sent_total 3"));
  EXPECT_THAT(metrics.text(), HasSubstr("# TYPE starbus_names gauge\nstarbus_names 2.5"));
  sent = 9;
  EXPECT_EQ(value_of(metrics.text(), "starbus_sent_total"), 9);
}

TEST(Metrics, LabelsMakeOneFamily) {
  Metrics metrics;
  metrics.gauge("starbus_queue_bytes", "Queued.", [] { return 1.0; }, {{"lane", "bulk"}});
  metrics.gauge("starbus_queue_bytes", "Queued.", [] { return 2.0; }, {{"lane", "ca\"ll"}});
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("starbus_queue_bytes{lane=\"bulk\"} 1"));
  EXPECT_THAT(text, HasSubstr("starbus_queue_bytes{lane=\"ca\\\"ll\"} 2"));
  EXPECT_EQ(text.find("# TYPE"), text.rfind("# TYPE"));
}

TEST(Metrics, FamiliesFollowWhatComesAndGoes) {
  Metrics metrics;
  std::vector<Metrics::Sample> hosts = {{{{"host", "a"}}, 1}, {{{"host", "b"}}, 2}};
  metrics.family("starbus_hosts", "Hosts.", Metrics::Kind::gauge, [&] { return hosts; });
  EXPECT_THAT(metrics.text(), HasSubstr("starbus_hosts{host=\"b\"} 2"));
  hosts.pop_back();
  EXPECT_THAT(metrics.text(), Not(HasSubstr("host=\"b\"")));
}

TEST(Metrics, ACallbackThatThrowsLosesOnlyItself) {
  const test::LogCapture log;
  Metrics metrics;
  metrics.gauge("starbus_bad", "Bad.", []() -> double { throw std::runtime_error("no"); });
  metrics.gauge("starbus_good", "Good.", [] { return 1.0; });
  EXPECT_EQ(value_of(metrics.text(), "starbus_good"), 1);
  EXPECT_THAT(log.text(), HasSubstr("metric starbus_bad cannot be read: no"));
}

TEST(Metrics, MistakesOfTheProgrammerThrow) {
  Metrics metrics;
  const auto zero = [] { return 0.0; };
  EXPECT_THROW(metrics.gauge("not a name", "", zero), std::invalid_argument);
  EXPECT_THROW(metrics.gauge("good", "", zero, {{"bad label", "x"}}), std::invalid_argument);
  EXPECT_THROW(metrics.counter("starbus_sent", "", zero), std::invalid_argument);
  metrics.gauge("twice", "", zero);
  EXPECT_THROW(metrics.gauge("twice", "", zero), std::invalid_argument);
  metrics.counter("sent_total", "", zero);
  EXPECT_THROW(metrics.gauge("sent_total", "", zero, {{"a", "b"}}), std::invalid_argument);
}

TEST(Metrics, ShowsHistogramsOfPrometheusItself) {
  Metrics metrics;
  auto& family =
      prometheus::BuildHistogram().Name("starbus_latency_seconds").Register(metrics.registry());
  family.Add({}, prometheus::Histogram::BucketBoundaries{0.1, 1}).Observe(0.5);
  EXPECT_THAT(metrics.text(), HasSubstr("starbus_latency_seconds_bucket{le=\"1\"} 1"));
}

TEST(Metrics, TheProcessItself) {
  Metrics metrics;
  add_process_metrics(metrics);
  const std::string text = metrics.text();
  EXPECT_GT(value_of(text, "process_resident_memory_bytes"), 100'000);
  EXPECT_GT(value_of(text, "process_virtual_memory_bytes"),
            value_of(text, "process_resident_memory_bytes"));
  EXPECT_GT(value_of(text, "process_cpu_seconds_total"), 0);
  EXPECT_GE(value_of(text, "process_open_fds"), 3);
  EXPECT_GE(value_of(text, "process_max_fds"), value_of(text, "process_open_fds"));
  EXPECT_NEAR(value_of(text, "process_start_time_seconds"), static_cast<double>(std::time(nullptr)),
              3600);
}

}  // namespace
}  // namespace starbus::daemon
