#include "bench/bus/report.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

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

std::string shown(std::optional<double> value) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text,
                *value >= 1000 ? "%.0f"
                : *value >= 10 ? "%.1f"
                               : "%.2f",
                *value);
  return text;
}

void append_cell(std::string& line, const std::string& text, std::size_t width, bool left) {
  const std::string padding(width > text.size() ? width - text.size() : 0, ' ');
  line += left ? text + padding : padding + text;
}

}  // namespace

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

void Report::add(const std::string& case_name, const std::string& peer, int repetition,
                 const Metrics& metrics) {
  runs_[case_name][peer][repetition] = metrics;
}

std::vector<std::string> Report::metrics_of(const Case& which) {
  if (which.shape == Shape::kRequest) return {"p50", "p99", "rate", "cpu"};
  if (which.shape == Shape::kOpenLoop) return {"p50", "p99", "p999", "cpu"};
  return {"rate", "cpu", "back"};
}

std::optional<double> Report::value(const std::string& case_name, const std::string& peer,
                                    const std::string& metric) const {
  std::vector<double> values;
  const std::map<int, Metrics>* const runs = find_runs(case_name, peer);
  if (runs == nullptr) return std::nullopt;
  for (const auto& [repetition, metrics] : *runs) {
    if (const auto found = metrics.find(metric); found != metrics.end()) {
      values.push_back(found->second);
    }
  }
  return median(std::move(values));
}

const std::map<int, Metrics>* Report::find_runs(const std::string& case_name,
                                                const std::string& peer) const {
  const auto peers = runs_.find(case_name);
  if (peers == runs_.end()) return nullptr;
  const auto found = peers->second.find(peer);
  return found == peers->second.end() ? nullptr : &found->second;
}

// The median of the repetitions' ratios: what slows the machine down for a while slows both of a
// repetition.
std::optional<double> Report::ratio(const std::string& case_name, const std::string& peer,
                                    const std::string& base_case, const std::string& base_peer,
                                    const std::string& metric) const {
  const std::map<int, Metrics>* const ours = find_runs(case_name, peer);
  const std::map<int, Metrics>* const base = find_runs(base_case, base_peer);
  if (ours == nullptr || base == nullptr) return std::nullopt;
  std::vector<double> ratios;
  for (const auto& [repetition, metrics] : *ours) {
    const auto other = base->find(repetition);
    if (other == base->end()) continue;
    const auto above = metrics.find(metric);
    const auto below = other->second.find(metric);
    if (above == metrics.end() || below == other->second.end() || below->second <= 0) continue;
    ratios.push_back(above->second / below->second);
  }
  return median(std::move(ratios));
}

std::string Report::table(const std::vector<Case>& cases,
                          const std::vector<std::string>& peers) const {
  constexpr std::size_t kLabel = 40;
  constexpr std::size_t kColumn = 12;
  std::string text;
  append_cell(text, "case (medians)", kLabel, true);
  for (const std::string& peer : peers) append_cell(text, peer, kColumn, false);
  append_cell(text, "starbus/" + base_, kColumn + 2, false);
  text += "\n";
  for (const Case& which : cases) {
    for (const std::string& metric : metrics_of(which)) {
      std::string line;
      append_cell(line, label_of(which, metric), kLabel, true);
      for (const std::string& peer : peers) {
        append_cell(line, shown(value(which.name, peer, metric)), kColumn, false);
      }
      append_cell(line, shown(ratio(which.name, "starbus", which.name, base_, metric)), kColumn + 2,
                  false);
      text += line + "\n";
    }
    if (which.baseline.empty()) continue;
    std::string line;
    append_cell(line, which.name + " / " + which.baseline + " p99", kLabel, true);
    for (const std::string& peer : peers) {
      append_cell(line, shown(ratio(which.name, peer, which.baseline, peer, "p99")), kColumn,
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
        if (const auto found = value(which.name, peer, metric)) json[key + "." + peer] = *found;
      }
      const auto to_base_peer = ratio(which.name, "starbus", which.name, base_, metric);
      if (to_base_peer) json[key + ".ratio_" + base_] = *to_base_peer;
    }
    if (which.baseline.empty()) continue;
    for (const std::string& peer : peers) {
      const auto to_base = ratio(which.name, peer, which.baseline, peer, "p99");
      if (to_base) json["bus." + which.name + ".p99.ratio_undisturbed." + peer] = *to_base;
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace starbus::bench
