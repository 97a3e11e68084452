#include "bench/game/report/bars.hpp"

namespace starbus::bench {
namespace {

using enum Bar::Kind;

struct BarRow {
  const char* name;
  const char* title;
  const char* unit;
  std::string key;    // of the figure
  const char* floor;  // what it stands beside
  std::string floor_key;
  std::optional<Bar> bar;
};

const BarRow kRows[] = {
    {"rpc.send", "RPC to an entity of the process, one way", "ns", "rpc.BM_EntitySend.per_call",
     "virtual call", "rpc.BM_Floor_VirtualCall", Bar{at_most, 150}},
    {"rpc.call", "the same, with its answer, awaited", "ns", "rpc.BM_EntityCallAwaited.per_call",
     "virtual call", "rpc.BM_Floor_VirtualCall", Bar{at_most, 150}},
    {"rpc.measuring", "of it: counting and timing it", "ns", "rpc.measuring", "virtual call",
     "rpc.BM_Floor_VirtualCall", std::nullopt},
    {"nodes.call", "RPC to an entity of another process", "us", "nodes.call.p50.rpc",
     "the bus' own request", "nodes.call.p50.bus", std::nullopt},
    {"nodes.call.ratio", "the same over the bus' own request", "x", "nodes.call.ratio", "", "",
     Bar{at_most, 1.1}},
    {"nodes.oneway", "one-way RPCs into an entity of one node", "1/s", "nodes.oneway.per_second",
     "the bus' own messages", "nodes.oneway.bus", Bar{at_least, 500'000}},
    {"entity.write", "write of an unwatched field", "ns", "entity.BM_Write_NobodyWatches",
     "plain store", "entity.BM_Floor_PlainStore", Bar{at_most, 5}},
    {"entity.write.synced", "write of a synced field", "ns", "entity.BM_Write_Synced",
     "std::map assignment", "entity.BM_Floor_MapAssign", Bar{at_most, 60}},
    {"entity.delta", "delta of 10 fields, for 3 audiences", "ns", "entity.BM_TenFields_EncodeFor3",
     "memcpy of its bytes", "entity.BM_Floor_MemcpyDelta", Bar{at_most, 1'000}},
    {"entity.memory", "an entity with its history", "bytes",
     "entity.BM_Managed_Memory.bytes/entity", "plain struct",
     "entity.BM_Floor_PlainMemory.bytes/entity", Bar{at_most, 1'536}},
    {"entity.made", "entities made and destroyed", "1/s",
     "entity.BM_Managed_CreateDestroy_100000.entities", "plain structs", "entity.plain_per_second",
     Bar{at_least, 500'000}},
    {"hosted.memory", "an entity in a node: published, saved, watched, with its history", "bytes",
     "hosted.BM_Hosted_Memory.bytes/entity", "the entity with its history alone",
     "entity.BM_Managed_Memory.bytes/entity", Bar{at_most, 2'048}},
    {"hosted.write", "write of an unwatched saved field there", "ns",
     "hosted.BM_Hosted_Write_Saved_NobodyWatches", "plain store", "entity.BM_Floor_PlainStore",
     Bar{at_most, 6}},
    {"timers.insert", "p50", "ns", "timers.insert.p50.starbus", "std::multimap",
     "timers.insert.p50.multimap", Bar{at_most, 100}},
    {"timers.cancel", "p50", "ns", "timers.cancel.p50.starbus", "std::multimap",
     "timers.cancel.p50.multimap", Bar{at_most, 100}},
    {"timers.advance.longest", "longest pass of a minute", "ms",
     "timers.advance.longest.starbus.most", "std::multimap", "timers.advance.longest.multimap.most",
     Bar{at_most, 1}},
    {"timers.at_once.longest", "longest pass, all due at once", "ms",
     "timers.at_once.longest.starbus.most", "std::multimap", "timers.at_once.longest.multimap.most",
     Bar{at_most, 1}},
    {"shutdown", "shutdown of 12 nodes with dirty data", "s", "shutdown.seconds",
     "12 bare nodes at once", "shutdown.floor.seconds", Bar{at_most, 5}},
    {"shutdown.unsaved", "entities that were not saved", "", "shutdown.unsaved.most", "", "",
     Bar{at_most, 0}},
    {"shutdown.out_of_order", "nodes out of order", "", "shutdown.out_of_order.most", "", "",
     Bar{at_most, 0}},
    {"shutdown.failed", "exit codes that are not 0", "", "shutdown.failed.most", "", "",
     Bar{at_most, 0}},
    // Three seconds for the stage of the one that stands still, and the bar above for all others.
    {"shutdown.stopped", "shutdown with one node stopped", "s", "shutdown.stopped.seconds",
     "12 bare nodes at once", "shutdown.floor.seconds", Bar{at_most, 8}},
    {"shutdown.stopped.named", "it is named in the report", "", "shutdown.stopped.named.least", "",
     "", Bar{at_least, 1}},
    {"shutdown.stopped.unsaved", "entities of others not saved", "",
     "shutdown.stopped.unsaved.most", "", "", Bar{at_most, 0}},
    {"shutdown.stopped.failed", "exit codes of others that are not 0", "",
     "shutdown.stopped.failed.most", "", "", Bar{at_most, 0}},
};

/// A part's figure, or what follows from two; std::nullopt: the run did not measure it.
std::optional<double> figure(const Metrics& figures, const std::string& key) {
  if (key == "rpc.measuring") {
    const auto with = figure(figures, "rpc.BM_EntitySend.per_call");
    const auto without = figure(figures, "rpc.BM_EntitySend_Unmeasured.per_call");
    return with && without ? std::optional(*with - *without) : std::nullopt;
  }
  if (key == "entity.plain_per_second") {
    const auto one = figure(figures, "entity.BM_Floor_PlainCreateDestroy");
    return one ? std::optional(1e9 / *one) : std::nullopt;
  }
  const auto found = figures.find(key);
  return found == figures.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void add_bars(const std::string& part, const Metrics& figures, Report& report) {
  for (const BarRow& row : kRows) {
    const std::string name = row.name;
    if (name.substr(0, name.find('.')) != part) continue;
    const std::string note =
        row.title + (*row.floor == '\0' ? "" : "; floor: " + std::string(row.floor));
    report.add({name, row.unit, {name, "value"}, {}, row.bar, note});
    for (const auto& [peer, key] :
         {std::pair("starbus", row.key), std::pair("floor", row.floor_key)}) {
      if (const auto value = figure(figures, key)) {
        report.figures().add(name, peer, 0, {{"value", *value}});
      }
    }
  }
}

}  // namespace starbus::bench
