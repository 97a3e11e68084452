#include <nlohmann/json.hpp>

#include "bench/harness/table.hpp"
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

}  // namespace

std::string Report::table(const std::vector<Row>& rows) const {
  constexpr std::size_t kLabel = 52;
  constexpr std::size_t kColumn = 16;
  constexpr std::size_t kRatio = 24;
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
        text += padded(shown(figures_.value(row.name, system, metric)), kColumn, false);
      }
      for (const std::string& system : systems_) {
        if (system != "starbus")
          text += padded(shown(figures_.ratio(row.name, "starbus", row.name, system, metric)),
                         kRatio, false);
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
        if (const auto found = figures_.value(row.name, system, metric))
          json[key + system] = *found;
        if (system == "starbus") continue;
        if (const auto found = figures_.ratio(row.name, "starbus", row.name, system, metric))
          json[key + "ratio_" + system] = *found;
      }
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace starbus::bench::mail
