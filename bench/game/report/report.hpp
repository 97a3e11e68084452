// What scripts/bench node prints: every bar of the runtime as a row, with what was measured, what
// the floor of the same run is, and whether the bar is met.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace starbus::bench {

/// Figures by their keys, of all parts of the run: "entity.BM_Write_Synced", "nodes.call.ratio".
using NodeFigures = std::map<std::string, double>;

enum class Bar { at_most, at_least, none };

struct BarRow {
  const char* title;
  const char* key;  // of the figure
  double scale;     // what the figure is multiplied by, to be in `unit`
  const char* unit;
  const char* floor;  // what it stands beside
  const char* floor_key;
  double floor_scale;
  Bar bar;
  double limit;  // in `unit`
};

struct JudgedRow {
  const BarRow* row;
  bool measured = false;  // else a part of the run did not say it
  double value = 0;
  double floor = 0;
  double ratio = 0;  // of the value to the floor; 0: there is none
  bool met = false;  // also where there is no bar
};

/// All rows, in the order of the report.
std::vector<JudgedRow> judge(const NodeFigures& figures);
bool all_met(const std::vector<JudgedRow>& rows);
void print(const std::vector<JudgedRow>& rows, std::ostream& out);
nlohmann::json as_json(const std::vector<JudgedRow>& rows, const NodeFigures& figures);

}  // namespace starbus::bench
