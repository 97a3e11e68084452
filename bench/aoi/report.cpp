#include "bench/aoi/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness/figures.hpp"
#include "bench/harness/table.hpp"

namespace starbus::bench::aoi {
namespace {

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

const char* base_of(const Row& row) {
  switch (row.against) {
    case Row::Against::floor:
      return " x floor";
    case Row::Against::plain:
      return " x plain";
    default:
      return "";
  }
}

}  // namespace

Report::Figure Report::figure(const Row& row) const {
  const std::vector<Costs>& runs = runs_.at(row.of);
  std::vector<double> shown;
  std::vector<double> judged;
  for (const Costs& one : runs) shown.push_back(one.*row.shown);
  Figure figure{*median(shown), least(shown)};
  figure.judged = figure.median;
  figure.judged_best = figure.best;
  if (row.against != Row::Against::nothing) {
    // Cases of one repetition are measured one after the other, so a slow phase of the machine
    // slows both.
    const std::vector<Costs>& bases = runs_.at(row.base);
    std::vector<double> compared;
    std::vector<double> base;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      compared.push_back(runs[i].*row.compared);
      base.push_back(bases[i].per_move);
      judged.push_back(compared.back() / base.back());
    }
    figure.judged = *median(judged);
    figure.judged_best = least(compared) / least(base);
  }
  figure.missed = row.bar && figure.judged > *row.bar;
  figure.missed_at_pace = figure.missed;
  if (row.bar && !row.paced_by.empty()) {
    figure.pace = floor_of(row.paced_by);
    figure.paced_bar = *row.bar * figure.pace / row.pace;
    figure.missed_at_pace = figure.judged > figure.paced_bar;
  }
  return figure;
}

double Report::floor_of(const std::string& full_name) const {
  std::vector<double> values;
  for (const Costs& one : runs_.at(full_name)) values.push_back(one.per_move);
  return *median(values);
}

// The bar, and whether it is met.
std::string Report::bar_of(const Row& row, const Figure& of) const {
  std::string text = shown(*row.bar) + base_of(row);
  if (row.of_machine) return text + (of.missed ? "  a slower machine" : "");
  if (of.missed) text += "  MISSED";
  if (row.paced_by.empty()) return text;
  return text + "; at this machine's pace (" + row.paced_by + " " + shown(of.pace) +
         " instead of " + shown(row.pace) + " ns) " + shown(of.paced_bar) +
         (of.missed_at_pace ? "  MISSED" : "");
}

std::size_t Report::missed() const {
  return static_cast<std::size_t>(std::count_if(rows_.begin(), rows_.end(), [this](const Row& row) {
    return !row.of_machine && figure(row).missed_at_pace;
  }));
}

std::string Report::table() const {
  constexpr std::size_t kName = 32;
  constexpr std::size_t kCell = 9;
  constexpr std::size_t kUnit = 14;
  constexpr std::size_t kRatio = 24;
  std::string text = padded("", kName, true) + padded("median", kCell, false) +
                     padded("best", kCell, false) + "  " + padded("", kUnit, true) +
                     padded("median (of the best)", kRatio, false) + "  bar\n";
  for (const Row& row : rows_) {
    const Figure of = figure(row);
    std::string ratio;
    if (row.against != Row::Against::nothing) {
      ratio = shown(of.judged) + " (" + shown(of.judged_best) + ")" + base_of(row);
    }
    text += padded(prefix_ + row.name, kName, true) + padded(shown(of.median), kCell, false) +
            padded(shown(of.best), kCell, false) + "  " + padded(row.unit, kUnit, true) +
            padded(ratio, kRatio, false) + "  ";
    if (row.bar) text += bar_of(row, of);
    text += "\n";
  }
  return text;
}

std::string Report::verdicts() const {
  constexpr std::size_t kVerdict = 9;
  std::string text;
  for (const Row& row : rows_) {
    if (!row.bar) continue;
    const Figure of = figure(row);
    const char* verdict = row.of_machine ? "machine" : of.missed_at_pace ? "NOT MET" : "met";
    text += padded(verdict, kVerdict, true) + prefix_ + row.name + ": " + shown(of.judged) +
            (row.against == Row::Against::nothing ? " " + row.unit : base_of(row)) + ", best " +
            shown(of.judged_best) + "; bar " + bar_of(row, of) + "\n";
  }
  return text;
}

std::string Report::json() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Row& row : rows_) {
    const Figure of = figure(row);
    const std::string key = prefix_ + row.name;
    json[key] = of.median;
    json[key + ".best"] = of.best;
    if (row.against != Row::Against::nothing) json[key + ".ratio"] = of.judged;
    if (row.bar) json[key + ".bar"] = *row.bar;
    if (of.paced_bar != 0) json[key + ".bar_at_pace"] = of.paced_bar;
  }
  return json.dump(2) + "\n";
}

}  // namespace starbus::bench::aoi
