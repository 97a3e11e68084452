#include "nodes/space/scene/scene_file.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "nodes/space/names.hpp"
#include "nodes/space/scene/limits.hpp"
#include "nodes/space/types/position_key.hpp"

namespace starbus::nodes::space {
namespace {

using daemon::ConfigReader;

constexpr std::array<std::pair<std::string_view, QuestKind>, 9> kQuestKinds = {{
    {"wait", QuestKind::wait},
    {"kill_all", QuestKind::kill_all},
    {"kill_one", QuestKind::kill_one},
    {"trap_all", QuestKind::trap_all},
    {"trap_one", QuestKind::trap_one},
    {"fill_all", QuestKind::fill_all},
    {"events_all", QuestKind::events_all},
    {"event_one", QuestKind::event_one},
    {"final", QuestKind::final_one},
}};

constexpr std::uint32_t kMostId = 1'000'000;

/// `text` is what the key is to be.
void wrong(ConfigReader& table, std::string_view key, const std::string& text) {
  table.problem(key, "'" + std::string(key) + "': " + text);
}

aoi::Position point(ConfigReader& table, std::string_view key) {
  const auto at = read_position(table, key);
  return {at[0], at[1], at[2]};
}

float metres(ConfigReader& table, std::string_view key, double fallback, double least) {
  return static_cast<float>(table.number(key, fallback, least, static_cast<double>(kWidestSpot)));
}

std::uint32_t row_id(ConfigReader& table) {
  if (!table.has("id")) wrong(table, "id", "missing; give the row a number, from 1");
  return table.integer<std::uint32_t>("id", 1, 1, kMostId);
}

/// A name that is not longer than kMaxSceneText.
std::string word(ConfigReader& table, std::string_view key) {
  std::string text = table.required_string(key);
  if (text.size() <= kMaxSceneText) return text;
  wrong(table, key, "at most " + std::to_string(kMaxSceneText) + " bytes");
  return {};
}

std::optional<SceneTime> optional_time(ConfigReader& table, std::string_view key) {
  if (!table.has(key)) return std::nullopt;
  return table.duration(key, kShortestWait, kShortestWait, kLongestScene);
}

SpawnRow read_spawn(ConfigReader& table) {
  SpawnRow row;
  row.id = row_id(table);
  row.kind = word(table, "kind");
  row.at = point(table, "at");
  row.spread = metres(table, "spread", 0, 0);
  row.count = table.integer<std::uint32_t>("count", 1, 1, static_cast<std::uint32_t>(kMaxSpawned));
  row.first = table.duration("first", {}, {}, kLongestScene);
  row.respawn = optional_time(table, "respawn");
  return row;
}

TrapRow read_trap(ConfigReader& table) {
  TrapRow row;
  row.id = row_id(table);
  row.at = point(table, "at");
  row.radius = metres(table, "radius", 1, 0.1);
  const std::string targets = table.choice("targets", "players", {"players", "others", "all"});
  row.targets = targets == "players"  ? TrapTargets::players
                : targets == "others" ? TrapTargets::others
                                      : TrapTargets::all;
  row.once = table.boolean("once", false);
  return row;
}

PortalRow read_portal(ConfigReader& table) {
  PortalRow row;
  row.id = row_id(table);
  row.at = point(table, "at");
  row.radius = metres(table, "radius", 1, 0.1);
  row.to.type = table.required_string("to");
  row.to.key = table.string("key", "");
  if (!row.to.type.empty()) {
    if (const auto checked = check_place(row.to); !checked) {
      wrong(table, check_type(row.to.type) ? "key" : "to", checked.error().detail);
    }
  }
  if (table.has("arrive")) row.arrive = point(table, "arrive");
  return row;
}

std::vector<std::uint32_t> ids(ConfigReader& table, std::string_view key) {
  std::vector<std::uint32_t> all;
  const auto refuse = [&](const std::string& text) {
    wrong(table, key, text);
    return std::vector<std::uint32_t>{};
  };
  if (!table.has(key)) return refuse("missing; list the ids of rows, such as [1, 2]");
  for (const auto& value : table.scalars(key)) {
    const auto* const whole = std::get_if<std::int64_t>(&value);
    if (whole == nullptr || *whole < 1 || *whole > kMostId) {
      return refuse("list the ids of rows, such as [1, 2]");
    }
    const auto id = static_cast<std::uint32_t>(*whole);
    if (std::ranges::find(all, id) != all.end()) {
      return refuse(std::to_string(id) + " is there twice");
    }
    all.push_back(id);
  }
  if (all.empty() || all.size() > kMaxWanted) {
    return refuse("1 to " + std::to_string(kMaxWanted) + " of them");
  }
  return all;
}

std::vector<std::string> event_names(ConfigReader& table) {
  std::vector<std::string> all = table.strings("events");
  if (all.empty() || all.size() > kMaxWanted) {
    wrong(table, "events", "1 to " + std::to_string(kMaxWanted) + " names");
  }
  for (const std::string& name : all) {
    if (!name.empty() && name.size() <= kMaxSceneText) continue;
    wrong(table, "events", "names of 1 to " + std::to_string(kMaxSceneText) + " bytes");
    break;
  }
  return all;
}

QuestRow read_quest(ConfigReader& table) {
  QuestRow row;
  row.id = row_id(table);
  const std::string type = table.required_string("type");
  const auto* const found =
      std::ranges::find(kQuestKinds, type, [](const auto& each) { return each.first; });
  if (found == kQuestKinds.end()) {
    std::string all;
    for (const auto& [name, kind] : kQuestKinds)
      all += (all.empty() ? "" : ", ") + std::string(name);
    if (!type.empty()) wrong(table, "type", "'" + type + "' is none of " + all);
    return row;
  }
  row.kind = found->second;
  switch (row.kind) {
    case QuestKind::wait:
      if (!table.has("after")) wrong(table, "after", "missing; give a time, such as \"2s\"");
      row.after = table.duration("after", kShortestWait, kShortestWait, kLongestScene);
      break;
    case QuestKind::kill_all:
    case QuestKind::kill_one:
      row.monsters = ids(table, "monsters");
      break;
    case QuestKind::trap_all:
    case QuestKind::trap_one:
    case QuestKind::fill_all:
      row.traps = ids(table, "traps");
      break;
    case QuestKind::events_all:
    case QuestKind::event_one:
      row.events = event_names(table);
      break;
    case QuestKind::final_one:
      return row;
  }
  row.next = table.integer<std::uint32_t>("next", 0, 1, kMostId);
  row.within = optional_time(table, "within");
  if (table.has("otherwise") && !row.within) {
    wrong(table, "otherwise", "only together with 'within'");
  }
  row.otherwise = table.integer<std::uint32_t>("otherwise", 0, 1, kMostId);
  return row;
}

/// The rows of one kind by id, whose tables `later` checks against each other.
template <class Row>
struct Rows {
  std::vector<Row> rows;
  std::vector<ConfigReader> tables;
  std::set<std::uint32_t> ids;
};

template <class Row, class Read>
Rows<Row> read_rows(ConfigReader& reader, std::string_view key, Read read) {
  Rows<Row> all;
  all.tables = reader.tables(key);
  if (all.tables.size() > kMaxSceneRows) {
    reader.problem(key, "more than " + std::to_string(kMaxSceneRows) + " of [[" + std::string(key) +
                            "]]; take some out");
  }
  for (ConfigReader& table : all.tables) {
    all.rows.push_back(read(table));
    if (!all.ids.insert(all.rows.back().id).second && table.has("id")) {
      wrong(table, "id", std::to_string(all.rows.back().id) + " is there twice");
    }
  }
  return all;
}

void check_ids(ConfigReader& table, std::string_view key, const std::vector<std::uint32_t>& wanted,
               const std::set<std::uint32_t>& there, std::string_view what) {
  for (const std::uint32_t id : wanted) {
    if (!there.contains(id)) {
      wrong(table, key,
            "there is no [[" + std::string(what) + "]] with id = " + std::to_string(id));
    }
  }
}

void check_quest(ConfigReader& table, const QuestRow& row, const std::set<std::uint32_t>& quests,
                 const std::set<std::uint32_t>& spawns, const std::set<std::uint32_t>& traps) {
  if (row.next != 0) check_ids(table, "next", {row.next}, quests, "quest");
  if (row.otherwise != 0) check_ids(table, "otherwise", {row.otherwise}, quests, "quest");
  check_ids(table, "monsters", row.monsters, spawns, "spawn");
  check_ids(table, "traps", row.traps, traps, "trap");
}

template <class Row>
std::vector<Row> by_id(std::vector<Row> rows) {
  std::ranges::stable_sort(rows, {}, &Row::id);
  return rows;
}

}  // namespace

std::string_view name_of(QuestKind kind) {
  for (const auto& [name, each] : kQuestKinds) {
    if (each == kind) return name;
  }
  return "?";
}

SceneData read_scene(ConfigReader& reader) {
  auto spawns = read_rows<SpawnRow>(reader, "spawn", read_spawn);
  auto traps = read_rows<TrapRow>(reader, "trap", read_trap);
  auto portals = read_rows<PortalRow>(reader, "portal", read_portal);
  auto quests = read_rows<QuestRow>(reader, "quest", read_quest);
  for (std::size_t i = 0; i < quests.rows.size(); ++i) {
    check_quest(quests.tables[i], quests.rows[i], quests.ids, spawns.ids, traps.ids);
  }
  std::uint64_t living = 0;
  for (const SpawnRow& row : spawns.rows) living += row.count;
  if (living > kMaxSceneSpawned) {
    reader.problem("spawn", "all [[spawn]] together have " + std::to_string(living) +
                                " entities; at most " + std::to_string(kMaxSceneSpawned));
  }
  return {by_id(std::move(spawns.rows)), by_id(std::move(traps.rows)),
          by_id(std::move(portals.rows)), by_id(std::move(quests.rows))};
}

Result<SceneData> load_scene(const std::filesystem::path& file) {
  auto reader = ConfigReader::open(file);
  if (!reader) return reader.error();
  SceneData scene = read_scene(*reader);
  if (const auto read = reader->finish(); !read) return read.error();
  return scene;
}

}  // namespace starbus::nodes::space
