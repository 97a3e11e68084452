#include "tools/bustop/spaces/space_view.hpp"

#include <algorithm>
#include <cmath>

#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using nlohmann::json;

/// "-" for what is missing.
std::string or_dash(std::string text) {
  return text.empty() ? "-" : text;
}

/// Ticks of well-made spaces take less than some milliseconds: with a digit more then.
std::string milliseconds_at(const json& times, const char* key) {
  const auto found = times.find(key);
  if (found == times.end() || !found->is_number()) return "-";
  const double time = found->get<double>();
  if (!(time >= 0 && time < 10)) return human_milliseconds(time);
  const long tenths = std::lround(time * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " ms";
}

Tone tone_of(const std::string& state) {
  return state == "ready" ? Tone::good : Tone::warning;
}

std::string state_of(const json& node) {
  std::string text;
  for (const char* flag : {"silent", "draining", "full"}) {
    if (flag_at(node, flag)) text += (text.empty() ? "" : ", ") + std::string(flag);
  }
  if (!flag_at(node, "announced")) text += (text.empty() ? "" : ", ") + std::string("new");
  return or_dash(text);
}

std::string nodes_of(const json& summary, const Look& look) {
  Table table({{"NODE"},
               {"SPACES", Table::Align::right},
               {"STARTING", Table::Align::right},
               {"BUSY MS/S", Table::Align::right},
               {"IS"}});
  for (const json& node : rows_at(summary, "nodes")) {
    const auto busy = node.find("busy_ms_per_s");
    const std::string state = state_of(node);
    table.add({text_at(node, "node"),
               std::to_string(number_at(node, "spaces")),
               std::to_string(number_at(node, "starting")),
               busy != node.end() && busy->is_number()
                   ? std::to_string(static_cast<long long>(busy->get<double>()))
                   : "-",
               {state, state == "-" ? Tone::faint : Tone::warning}});
  }
  return rows_at(summary, "nodes").empty() ? "no node runs spaces\n" : table.text(look);
}

void add_row(Table& table, const SpaceEntry& entry) {
  const json& tick = object_at(entry.runs, "tick");
  const json& took = object_at(tick, "took_ms");
  const bool runs = !tick.empty();
  const std::string state = text_at(entry.placed, "state");
  const std::uint64_t missed = number_at(tick, "window_missed");
  table.add({entry.name,
             {state, tone_of(state)},
             or_dash(text_at(entry.placed, "node")),
             std::to_string(number_at(entry.placed, "taken")) + "/" +
                 std::to_string(number_at(entry.placed, "capacity")),
             runs ? std::to_string(number_at(entry.runs, "others")) : "-",
             milliseconds_at(took, "p50"),
             milliseconds_at(took, "p99"),
             milliseconds_at(object_at(tick, "late_ms"), "p99"),
             {runs ? std::to_string(missed) : "-", missed == 0 ? Tone::faint : Tone::bad}});
}

}  // namespace

std::string render_spaces(const SpaceList& list, const SpacesQuery& query, const Look& look) {
  std::string text = "service  " + printable(list.service) + ", " +
                     count_of(number_at(list.summary, "waiters"), "request") + " waiting\n";
  if (flag_at(list.summary, "rebuilding")) {
    text +=
        toned(look, Tone::warning, "it asks the nodes which spaces there are: try again") + "\n";
  }
  if (flag_at(list.summary, "superseded")) {
    text += toned(look, Tone::bad, "it was followed by another one, and refuses all") + "\n";
  }
  text += nodes_of(list.summary, look);
  if (!list.rows.empty()) {
    Table table({{"SPACE", Table::Align::left, true},
                 {"STATE"},
                 {"NODE"},
                 {"SEATS", Table::Align::right},
                 {"OTHERS", Table::Align::right},
                 {"TICK P50", Table::Align::right},
                 {"P99", Table::Align::right},
                 {"LATE P99", Table::Align::right},
                 {"MISSED", Table::Align::right}});
    for (const SpaceEntry& entry : list.rows) add_row(table, entry);
    text += "\n" + table.text(look);
  }
  text += count_of(list.rows.size() + list.left_out, "space");
  if (!query.prefix.empty()) text += " that begin with " + printable(query.prefix);
  if (list.left_out != 0) text += ", of which " + std::to_string(list.left_out) + " are not shown";
  text += "\n";
  for (const std::string& note : list.notes) text += "note: " + printable(note) + "\n";
  return text;
}

OrderedJson json_of_spaces(const SpaceList& list) {
  OrderedJson rows = OrderedJson::array();
  for (const SpaceEntry& entry : list.rows) {
    OrderedJson row = {{"space", entry.name}};
    for (const auto& [key, value] : entry.placed.items()) {
      if (key != "space") row[key] = value;
    }
    row["at_node"] = entry.runs;
    rows.push_back(std::move(row));
  }
  return {{"service", list.service},
          {"summary", list.summary},
          {"spaces", std::move(rows)},
          {"left_out", list.left_out},
          {"notes", list.notes}};
}

}  // namespace starbus::bustop
