#include "bench/harness/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness/table.hpp"

namespace starbus::bench {
namespace {

Figures::Source source_of(const Row::Figure& figure, const std::string& peer) {
  return {figure.of, peer, figure.metric};
}

std::optional<double> median_of(const std::optional<Spread>& spread) {
  return spread ? std::optional(spread->median) : std::nullopt;
}

}  // namespace

std::optional<Spread> Report::spread(const Row& row, const std::string& peer) const {
  const Figures::Source source = source_of(row.figure, peer);
  return row.divisor ? figures_.spread(source, source_of(*row.divisor, peer))
                     : figures_.spread(source);
}

std::optional<Spread> Report::ratio(const Row& row, const std::string& peer) const {
  if (row.divisor) return std::nullopt;  // a quotient already
  return figures_.spread(source_of(row.figure, subjects_.ours), source_of(row.figure, peer));
}

Report::Verdict Report::judge(const Row& row) const {
  const Bar& bar = *row.bar;
  Verdict verdict{bar.limit};
  if (bar.pace) {
    const auto here = figures_.spread(bar.pace->figure);
    if (!here) return verdict;
    verdict.limit *= here->median / bar.pace->there;
  }
  const auto figure =
      median_of(bar.peer.empty() ? spread(row, subjects_.ours) : ratio(row, bar.peer));
  verdict.measured = figure.has_value();
  verdict.met = figure && (bar.kind == Bar::Kind::at_least ? *figure >= verdict.limit
                                                           : *figure <= verdict.limit);
  return verdict;
}

std::size_t Report::missed() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows_, [this](const Row& row) {
    return row.bar && !row.bar->of_machine && !judge(row).met;
  }));
}

std::size_t Report::broken() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      rows_, [this](const Row& row) { return row.bar && row.bar->promise && !judge(row).met; }));
}

bool Report::has_bars() const {
  return std::ranges::any_of(rows_, [](const Row& row) { return row.bar.has_value(); });
}

std::string Report::bar_of(const Row& row) const {
  if (!row.bar) return "";
  const Bar& bar = *row.bar;
  std::string text = (bar.kind == Bar::Kind::at_least ? ">= " : "<= ") + shown(bar.limit);
  if (!bar.peer.empty()) text += " x " + bar.peer;
  if (!bar.pace) return text;
  const auto here = median_of(figures_.spread(bar.pace->figure));
  return text + ", here " + shown(judge(row).limit) + " (" + bar.pace->figure.of + " " +
         shown(here) + ", not " + shown(bar.pace->there) + ")";
}

std::string Report::verdict_of(const Row& row) const {
  if (!row.bar) return "";
  const Verdict verdict = judge(row);
  if (!verdict.measured) return "NOT MEASURED";
  if (verdict.met) return "met";
  return row.bar->of_machine ? "a slower machine" : "NOT MET";
}

std::string Report::table() const {
  std::vector<std::string> ratios;
  for (const std::string& peer : subjects_.compared) ratios.push_back(subjects_.ours + "/" + peer);
  std::vector<Column> columns{{"figure", true}, {"unit", true}};
  for (const std::string& peer : subjects_.peers) {
    columns.push_back({peer.empty() ? "median" : peer});
  }
  for (const char* title : {"least", "most"}) columns.push_back({title});
  for (const std::string& title : ratios) columns.push_back({title});
  for (const char* title : {"bar", "", ""}) columns.push_back({title, true});
  for (const Row& row : rows_) {
    std::vector<std::string> cells{row.name, row.unit};
    for (const std::string& peer : subjects_.peers) {
      cells.push_back(shown(median_of(spread(row, peer))));
    }
    const auto ours = spread(row, subjects_.ours);
    const bool many = ours && ours->repetitions > 1;
    cells.push_back(many ? shown(ours->least) : "");
    cells.push_back(many ? shown(ours->most) : "");
    for (const std::string& peer : subjects_.compared) {
      cells.push_back(shown(median_of(ratio(row, peer))));
    }
    cells.insert(cells.end(), {bar_of(row), verdict_of(row), row.note});
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  std::string text = table_of(columns);
  for (const Note& note : notes_) {
    if (note.unit.empty()) continue;
    text += note.name + ": " + shown(note.value) + " " + note.unit + "\n";
  }
  if (has_bars()) text += std::to_string(missed()) + " bars are missed\n";
  return text;
}

std::string Report::json() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Note& note : notes_) json[suite_ + "." + note.name] = note.value;
  for (const Row& row : rows_) {
    const std::string key = suite_ + "." + row.name;
    for (const std::string& peer : subjects_.peers) {
      const auto figure = spread(row, peer);
      if (!figure) continue;
      const std::string of_peer = peer.empty() ? key : key + "." + peer;
      json[of_peer] = figure->median;
      json[of_peer + ".least"] = figure->least;
      json[of_peer + ".most"] = figure->most;
    }
    for (const std::string& peer : subjects_.compared) {
      if (const auto found = ratio(row, peer)) json[key + ".ratio_" + peer] = found->median;
    }
    if (!row.bar) continue;
    json[key + ".bar"] = row.bar->limit;
    if (row.bar->pace) json[key + ".bar_at_pace"] = judge(row).limit;
    json[key + ".met"] = judge(row).met;
  }
  return json.dump(2) + "\n";
}

}  // namespace starbus::bench
