#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/bus/report.hpp"
#include "bench/mail/report.hpp"

namespace starbus::bench::mail {
namespace {

const std::map<std::string, std::string>& labels() {
  static const std::map<std::string, std::string> labels{
      {"rate", "1/s"},
      {"cpu", "CPU s per million"},
      {"p50", "p50, us"},
      {"p99", "p99, us"},
      {"p999", "p999, us"},
      {"alone", "p99 without it, us"},
      {"ratio", "p99 with / without"},
      {"took", "it took, ms"},
      {"rss", "resident, bytes each"},
      {"anonymous", "of that not file, bytes each"},
      {"rss_before", "resident before, MB"},
      {"rss_restarted", "resident after a restart, bytes each"},
      {"open_p50", "opening one, p50, us"},
      {"open_p99", "opening one, p99, us"},
      {"start_empty", "start, empty, ms"},
      {"start", "start, ms"}};
  return labels;
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

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string padding(width > text.size() ? width - text.size() : 0, ' ');
  return left ? text + padding : padding + text;
}

}  // namespace

const std::map<int, Metrics>* Report::runs(const Row& row, const std::string& system) const {
  const auto found = runs_.find(row.name);
  if (found == runs_.end()) return nullptr;
  const auto of_system = found->second.find(system);
  return of_system == found->second.end() ? nullptr : &of_system->second;
}

std::optional<double> Report::value(const Row& row, const std::string& metric,
                                    const std::string& system) const {
  const auto* const all = runs(row, system);
  if (all == nullptr) return std::nullopt;
  std::vector<double> values;
  for (const auto& [repetition, metrics] : *all) {
    if (const auto found = metrics.find(metric); found != metrics.end()) {
      values.push_back(found->second);
    }
  }
  return median(std::move(values));
}

std::optional<double> Report::ratio(const Row& row, const std::string& metric,
                                    const std::string& base) const {
  const auto* const ours = runs(row, "starbus");
  const auto* const theirs = runs(row, base);
  if (ours == nullptr || theirs == nullptr) return std::nullopt;
  std::vector<double> ratios;
  for (const auto& [repetition, metrics] : *ours) {
    const auto other = theirs->find(repetition);
    if (other == theirs->end()) continue;
    const auto above = metrics.find(metric);
    const auto below = other->second.find(metric);
    if (above == metrics.end() || below == other->second.end() || below->second <= 0) continue;
    ratios.push_back(above->second / below->second);
  }
  return median(std::move(ratios));
}

std::string Report::table(const std::vector<Row>& rows) const {
  constexpr std::size_t kLabel = 52;
  constexpr std::size_t kColumn = 12;
  constexpr std::size_t kRatio = 20;
  std::string text = padded("row (medians)", kLabel, true);
  for (const std::string& system : systems_) text += padded(system, kColumn, false);
  for (const std::string& system : systems_) {
    if (system != "starbus") text += padded("starbus/" + system, kRatio, false);
  }
  text += "\n";
  for (const Row& row : rows) {
    for (const std::string& metric : row.metrics) {
      text += padded(row.name + " " + labels().at(metric), kLabel, true);
      for (const std::string& system : systems_) {
        text += padded(shown(value(row, metric, system)), kColumn, false);
      }
      for (const std::string& system : systems_) {
        if (system != "starbus") text += padded(shown(ratio(row, metric, system)), kRatio, false);
      }
      text += "\n";
    }
  }
  return text;
}

std::string Report::json(const std::vector<Row>& rows, const Metrics& disk) const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, figure] : disk) json["mail.fsync." + name] = figure;
  for (const Row& row : rows) {
    for (const std::string& metric : row.metrics) {
      const std::string key = "mail." + row.name + "." + metric + ".";
      for (const std::string& system : systems_) {
        if (const auto found = value(row, metric, system)) json[key + system] = *found;
        if (system == "starbus") continue;
        if (const auto found = ratio(row, metric, system)) json[key + "ratio_" + system] = *found;
      }
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace starbus::bench::mail
