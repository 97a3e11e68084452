#include "daemon/metrics.hpp"

#include <prometheus/check_names.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

namespace starbus::daemon {
namespace {

void require(bool valid, const std::string& what) {
  if (!valid) throw std::invalid_argument(what);
}

prometheus::ClientMetric to_client_metric(Metrics::Kind kind, const Metrics::Sample& sample) {
  prometheus::ClientMetric metric;
  for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
  if (kind == Metrics::Kind::counter) {
    metric.counter.value = sample.value;
  } else {
    metric.gauge.value = sample.value;
  }
  return metric;
}

}  // namespace

/// The families that are read by callback.
class Metrics::Callbacks : public prometheus::Collectable {
 public:
  using Read = std::function<std::vector<Sample>()>;

  void add(const std::string& name, const std::string& help, Kind kind, Read read) {
    require(prometheus::CheckMetricName(name), "not a metric name: " + name);
    const auto [place, fresh] = families_.try_emplace(name, Family{help, kind, {}, {}});
    require(place->second.kind == kind, "both gauge and counter: " + name);
    place->second.reads.push_back(std::move(read));
  }

  void add_one(const std::string& name, const std::string& help, Kind kind,
               std::function<double()> read, Labels labels) {
    for (const auto& [label, value] : labels) {
      require(prometheus::CheckLabelName(label), "not a label: " + label);
    }
    if (const auto known = families_.find(name); known != families_.end()) {
      require(!known->second.fixed.contains(labels), "registered twice: " + name);
    }
    add(name, help, kind, [labels, read = std::move(read)] {
      return std::vector<Sample>{{labels, read()}};
    });
    families_.at(name).fixed.insert(std::move(labels));
  }

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> all;
    for (const auto& [name, family] : families_) {
      const bool counter = family.kind == Kind::counter;
      const auto type = counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
      all.push_back({name, family.help, type, {}});
      for (const Read& read : family.reads) collect(name, family.kind, read, all.back());
      if (all.back().metric.empty()) all.pop_back();
    }
    return all;
  }

 private:
  struct Family {
    std::string help;
    Kind kind;
    std::vector<Read> reads;
    std::set<Labels> fixed;
  };

  static void collect(const std::string& name, Kind kind, const Read& read,
                      prometheus::MetricFamily& family) {
    try {
      for (const Sample& sample : read()) family.metric.push_back(to_client_metric(kind, sample));
    } catch (const std::exception& error) {
      spdlog::error("metric {} cannot be read: {}", name, error.what());
    }
  }

  std::map<std::string, Family> families_;
};

Metrics::Metrics()
    : registry_(std::make_unique<prometheus::Registry>()),
      callbacks_(std::make_unique<Callbacks>()) {}
Metrics::~Metrics() = default;

void Metrics::gauge(const std::string& name, const std::string& help, std::function<double()> read,
                    Labels labels) {
  callbacks_->add_one(name, help, Kind::gauge, std::move(read), std::move(labels));
}

void Metrics::counter(const std::string& name, const std::string& help,
                      std::function<double()> read, Labels labels) {
  require(name.ends_with("_total"), "a counter ends in _total: " + name);
  callbacks_->add_one(name, help, Kind::counter, std::move(read), std::move(labels));
}

void Metrics::family(const std::string& name, const std::string& help, Kind kind,
                     std::function<std::vector<Sample>()> read) {
  callbacks_->add(name, help, kind, std::move(read));
}

prometheus::Registry& Metrics::registry() {
  return *registry_;
}

std::string Metrics::text() const {
  std::vector<prometheus::MetricFamily> all = callbacks_->Collect();
  std::ranges::move(registry_->Collect(), std::back_inserter(all));
  return prometheus::TextSerializer().Serialize(all);
}

}  // namespace starbus::daemon
