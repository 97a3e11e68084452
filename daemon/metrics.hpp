#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace prometheus {
class Registry;
}

namespace starbus::daemon {

/// The metrics of /metrics, over prometheus-cpp. Each scrape reads the values by callback, so that
/// the hot path only increments plain integers of its own. Owned and scraped by the thread of
/// the loop; callbacks run there and must not add metrics. A callback that throws loses its own
/// sample only. Registering a bad name, or a name and labels twice, throws std::invalid_argument:
/// a programming error.
class Metrics {
 public:
  using Labels = std::map<std::string, std::string>;
  struct Sample {
    Labels labels;
    double value = 0;
  };
  enum class Kind { gauge, counter };

  Metrics();
  ~Metrics();

  /// A gauge: `read` gives its value at each scrape. `name` begins with starbus_.
  void gauge(const std::string& name, const std::string& help, std::function<double()> read,
             Labels labels = {});
  /// The name ends in _total; the value never falls.
  void counter(const std::string& name, const std::string& help, std::function<double()> read,
               Labels labels = {});
  /// For label values that come and go, such as one sample per host.
  void family(const std::string& name, const std::string& help, Kind kind,
              std::function<std::vector<Sample>()> read);

  /// For what needs prometheus-cpp itself, such as histograms.
  prometheus::Registry& registry();

  /// The text exposition format.
  std::string text() const;
  static constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  class Callbacks;
  std::unique_ptr<prometheus::Registry> registry_;
  std::unique_ptr<Callbacks> callbacks_;
};

/// The standard process_* metrics: memory, processor seconds, open files, start time.
void add_process_metrics(Metrics& metrics);

}  // namespace starbus::daemon
