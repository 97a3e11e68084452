#include "bench/restarts/report.hpp"

#include <nlohmann/json.hpp>

#include "bench/harness/table.hpp"

namespace starbus::bench::restarts {
namespace {

constexpr const char* kOurs = "starbus";
constexpr const char* kBase = "nats";

struct Metric {
  const char* name;
  const char* label;
  bool has_ratio;
};
constexpr Metric kMetrics[] = {{"silence.p50", "silence p50, ms", true},
                               {"silence.p90", "silence p90, ms", true},
                               {"silence.p99", "silence p99, ms", true},
                               {"silence.max", "silence worst, ms", true},
                               {"lost", "lost per replacement", false}};

}  // namespace

std::string Report::table(const std::vector<Case>& cases) const {
  constexpr std::size_t kLabel = 40;
  constexpr std::size_t kColumn = 12;
  std::string text = padded("case (medians)", kLabel, true);
  for (const std::string& peer : peers_) text += padded(peer, kColumn, false);
  text += padded(std::string(kOurs) + "/" + kBase, kColumn + 2, false) + "\n";
  for (const Case& which : cases) {
    for (const Metric& metric : kMetrics) {
      text += padded(which.name + " " + metric.label, kLabel, true);
      for (const std::string& peer : peers_) {
        text += padded(shown(figures_.value(which.name, peer, metric.name)), kColumn, false);
      }
      if (metric.has_ratio) {
        const auto ratio = figures_.ratio(which.name, kOurs, which.name, kBase, metric.name);
        text += padded(shown(ratio), kColumn + 2, false);
      }
      text += "\n";
    }
  }
  return text;
}

std::string Report::json(const std::vector<Case>& cases) const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Case& which : cases) {
    for (const Metric& metric : kMetrics) {
      const std::string key = "restarts." + which.name + "." + metric.name + ".";
      for (const std::string& peer : peers_) {
        const auto value = figures_.value(which.name, peer, metric.name);
        if (value) json[key + peer] = *value;
      }
      const auto ratio = figures_.ratio(which.name, kOurs, which.name, kBase, metric.name);
      if (ratio && metric.has_ratio) json[key + "ratio_" + kBase] = *ratio;
    }
  }
  return json.dump(2) + "\n";
}

std::vector<std::string> Report::missed(const std::vector<Case>& cases) const {
  std::vector<std::string> lines;
  for (const Case& which : cases) {
    if (which.way != Way::kTakeover) continue;
    const auto p99 = figures_.value(which.name, kOurs, "silence.p99");
    if (p99 && *p99 <= kLongestTakeoverMs) continue;
    lines.push_back(which.name + ": silence p99 " + (p99 ? shown(p99) + " ms" : "not measured") +
                    ", the bar is " + shown(kLongestTakeoverMs) + " ms");
  }
  return lines;
}

}  // namespace starbus::bench::restarts
