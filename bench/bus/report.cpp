#include "bench/bus/report.hpp"

#include <nlohmann/json.hpp>

#include "bench/harness/table.hpp"

namespace starbus::bench {
namespace {

bool measures_latency(const Case& which) {
  return which.shape == Shape::kRequest || which.shape == Shape::kOpenLoop;
}

std::string key_of(const Case& which, const std::string& metric) {
  const bool main_figure = metric == "rate" && !measures_latency(which);
  return "bus." + which.name + (main_figure ? "" : "." + metric);
}

std::string label_of(const Case& which, const std::string& metric) {
  if (metric == "rate") return which.name + ", 1/s";
  if (metric == "cpu") return which.name + ", CPU s per million";
  if (metric == "back") return which.name + ", bytes back, %";
  return which.name + " " + metric + ", us";
}

}  // namespace

std::vector<std::string> Report::metrics_of(const Case& which) {
  if (which.shape == Shape::kRequest) return {"p50", "p99", "rate", "cpu"};
  if (which.shape == Shape::kOpenLoop) return {"p50", "p99", "p999", "cpu"};
  return {"rate", "cpu", "back"};
}

std::string Report::table(const std::vector<Case>& cases,
                          const std::vector<std::string>& peers) const {
  constexpr std::size_t kLabel = 40;
  constexpr std::size_t kColumn = 12;
  std::string text;
  text += padded("case (medians)", kLabel, true);
  for (const std::string& peer : peers) text += padded(peer, kColumn, false);
  text += padded("starbus/" + base_, kColumn + 2, false);
  text += "\n";
  for (const Case& which : cases) {
    for (const std::string& metric : metrics_of(which)) {
      std::string line;
      line += padded(label_of(which, metric), kLabel, true);
      for (const std::string& peer : peers) {
        line += padded(shown(figures_.value(which.name, peer, metric)), kColumn, false);
      }
      line += padded(shown(figures_.ratio(which.name, "starbus", which.name, base_, metric)),
                     kColumn + 2, false);
      text += line + "\n";
    }
    if (which.baseline.empty()) continue;
    std::string line;
    line += padded(which.name + " / " + which.baseline + " p99", kLabel, true);
    for (const std::string& peer : peers) {
      line += padded(shown(figures_.ratio(which.name, peer, which.baseline, peer, "p99")), kColumn,
                     false);
    }
    text += line + "\n";
  }
  return text;
}

std::string Report::json(const std::vector<Case>& cases,
                         const std::vector<std::string>& peers) const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Case& which : cases) {
    for (const std::string& metric : metrics_of(which)) {
      const std::string key = key_of(which, metric);
      for (const std::string& peer : peers) {
        if (const auto found = figures_.value(which.name, peer, metric))
          json[key + "." + peer] = *found;
      }
      const auto to_base_peer = figures_.ratio(which.name, "starbus", which.name, base_, metric);
      if (to_base_peer) json[key + ".ratio_" + base_] = *to_base_peer;
    }
    if (which.baseline.empty()) continue;
    for (const std::string& peer : peers) {
      const auto to_base = figures_.ratio(which.name, peer, which.baseline, peer, "p99");
      if (to_base) json["bus." + which.name + ".p99.ratio_undisturbed." + peer] = *to_base;
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace starbus::bench
