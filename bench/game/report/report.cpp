#include "bench/game/report/report.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace starbus::bench {
namespace {

// Times of Google Benchmark are nanoseconds; counters that end in per_call are seconds.
constexpr BarRow kRows[] = {
    {"RPC to an entity of the process, one way", "rpc.BM_EntitySend.per_call", 1e9, "ns",
     "virtual call", "rpc.BM_Floor_VirtualCall", 1, Bar::at_most, 150},
    {"the same, with its answer, awaited", "rpc.BM_EntityCallAwaited.per_call", 1e9, "ns",
     "virtual call", "rpc.BM_Floor_VirtualCall", 1, Bar::at_most, 150},
    {"of it: counting and timing it", "rpc.measuring", 1, "ns", "virtual call",
     "rpc.BM_Floor_VirtualCall", 1, Bar::none, 0},
    {"RPC to an entity of another process", "nodes.call.p50.rpc", 1, "us", "the bus' own request",
     "nodes.call.p50.bus", 1, Bar::none, 0},
    {"the same over the bus' own request", "nodes.call.ratio", 1, "x", "the bus' own request", "",
     1, Bar::at_most, 1.1},
    {"one-way RPCs into an entity of one node", "nodes.oneway.per_second", 1, "/s",
     "the bus' own messages", "nodes.oneway.bus", 1, Bar::at_least, 500'000},
    {"write of an unwatched field", "entity.BM_Write_NobodyWatches", 1, "ns", "plain store",
     "entity.BM_Floor_PlainStore", 1, Bar::at_most, 5},
    {"write of a synced field", "entity.BM_Write_Synced", 1, "ns", "std::map assignment",
     "entity.BM_Floor_MapAssign", 1, Bar::at_most, 60},
    {"delta of 10 fields, for 3 audiences", "entity.BM_TenFields_EncodeFor3", 1, "ns",
     "memcpy of its bytes", "entity.BM_Floor_MemcpyDelta", 1, Bar::at_most, 1'000},
    {"timer: insert, p50", "timers.insert.p50.starbus", 1, "ns", "std::multimap",
     "timers.insert.p50.multimap", 1, Bar::at_most, 100},
    {"timer: cancel, p50", "timers.cancel.p50.starbus", 1, "ns", "std::multimap",
     "timers.cancel.p50.multimap", 1, Bar::at_most, 100},
    {"timer: longest pass of a minute", "timers.advance.longest.starbus", 1, "ms", "std::multimap",
     "timers.advance.longest.multimap", 1, Bar::at_most, 1},
    {"timer: longest pass, all due at once", "timers.at_once.longest.starbus", 1, "ms",
     "std::multimap", "timers.at_once.longest.multimap", 1, Bar::at_most, 1},
    {"bytes of an entity with its history", "entity.BM_Managed_Memory.bytes/entity", 1, "bytes",
     "plain struct", "entity.BM_Floor_PlainMemory.bytes/entity", 1, Bar::at_most, 1'536},
    {"entities made and destroyed", "entity.managed_per_second", 1, "/s", "plain structs",
     "entity.plain_per_second", 1, Bar::at_least, 500'000},
    {"shutdown of 12 nodes with dirty data", "shutdown.seconds", 1, "s", "12 bare nodes at once",
     "shutdown.floor.seconds", 1, Bar::at_most, 5},
    {"  entities that were not saved", "shutdown.unsaved", 1, "", "", "", 1, Bar::at_most, 0},
    {"  nodes out of order", "shutdown.out_of_order", 1, "", "", "", 1, Bar::at_most, 0},
    {"  exit codes that are not 0", "shutdown.failed", 1, "", "", "", 1, Bar::at_most, 0},
    // Three seconds for the stage of the one that stands still, and the bar above for all others.
    {"shutdown with one node stopped", "shutdown.stopped.seconds", 1, "s", "12 bare nodes at once",
     "shutdown.floor.seconds", 1, Bar::at_most, 8},
    {"  it is named in the report", "shutdown.stopped.named", 1, "", "", "", 1, Bar::at_least, 1},
    {"  entities of others not saved", "shutdown.stopped.unsaved", 1, "", "", "", 1, Bar::at_most,
     0},
    {"  exit codes of others that are not 0", "shutdown.stopped.failed", 1, "", "", "", 1,
     Bar::at_most, 0},
};

double value_of(const NodeFigures& figures, const char* key, bool& found) {
  const auto at = figures.find(key);
  found = at != figures.end();
  return found ? at->second : 0;
}

/// Three digits that matter, and whole numbers above.
std::string number(double value) {
  char text[32];
  const double size = value < 0 ? -value : value;
  const int digits = size >= 100 || size == static_cast<double>(static_cast<long>(size)) ? 0
                     : size >= 10                                                        ? 1
                                                                                         : 2;
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace

std::vector<JudgedRow> judge(const NodeFigures& figures) {
  std::vector<JudgedRow> rows;
  for (const BarRow& row : kRows) {
    JudgedRow judged{&row};
    judged.value = row.scale * value_of(figures, row.key, judged.measured);
    bool has_floor = false;
    judged.floor = row.floor_scale * value_of(figures, row.floor_key, has_floor);
    if (has_floor && judged.floor > 0) judged.ratio = judged.value / judged.floor;
    judged.met = judged.measured &&
                 (row.bar == Bar::none || (row.bar == Bar::at_most && judged.value <= row.limit) ||
                  (row.bar == Bar::at_least && judged.value >= row.limit));
    rows.push_back(judged);
  }
  return rows;
}

bool all_met(const std::vector<JudgedRow>& rows) {
  return std::ranges::all_of(rows, &JudgedRow::met);
}

void print(const std::vector<JudgedRow>& rows, std::ostream& out) {
  char line[256];
  std::snprintf(line, sizeof line, "%-41s %13s  %-24s %10s %8s %16s  %s\n", "", "measured", "floor",
                "", "ratio", "bar", "");
  out << line;
  for (const JudgedRow& judged : rows) {
    const BarRow& row = *judged.row;
    const std::string value = judged.measured ? number(judged.value) + " " + row.unit : "missing";
    const std::string floor = judged.ratio > 0 ? number(judged.floor) + " " + row.unit : "";
    const std::string ratio = judged.ratio > 0 ? number(judged.ratio) + " x" : "";
    std::string bar;
    if (row.bar == Bar::at_most) bar = "<= " + number(row.limit) + " " + row.unit;
    if (row.bar == Bar::at_least) bar = ">= " + number(row.limit) + " " + row.unit;
    const char* verdict = row.bar == Bar::none && judged.met ? "" : judged.met ? "met" : "NOT MET";
    std::snprintf(line, sizeof line, "%-41s %13s  %-24s %10s %8s %16s  %s\n", row.title,
                  value.c_str(), row.floor, floor.c_str(), ratio.c_str(), bar.c_str(), verdict);
    out << line;
  }
}

nlohmann::json as_json(const std::vector<JudgedRow>& rows, const NodeFigures& figures) {
  nlohmann::json list = nlohmann::json::array();
  for (const JudgedRow& judged : rows) {
    const BarRow& row = *judged.row;
    nlohmann::json one = {{"title", row.title},
                          {"key", row.key},
                          {"unit", row.unit},
                          {"measured", judged.measured},
                          {"met", judged.met}};
    if (judged.measured) one["value"] = judged.value;
    if (judged.ratio > 0) {
      one["floor"] = row.floor;
      one["floor_value"] = judged.floor;
      one["ratio"] = judged.ratio;
    }
    if (row.bar != Bar::none) {
      one["bar"] = row.bar == Bar::at_most ? "at_most" : "at_least";
      one["limit"] = row.limit;
    }
    list.push_back(std::move(one));
  }
  return {{"rows", std::move(list)}, {"figures", figures}, {"all_met", all_met(rows)}};
}

}  // namespace starbus::bench
