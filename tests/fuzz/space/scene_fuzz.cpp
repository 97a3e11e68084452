/// Scenes, from the text of a file to what is played.
#include "nodes/space/scene/limits.hpp"
#include "nodes/space/scene/quest_flow.hpp"
#include "nodes/space/scene/scene_file.hpp"
#include "nodes/space/scene/spawn_table.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  using namespace starbus::nodes::space;
  using namespace std::chrono_literals;
  using bus::require;
  auto reader = daemon::ConfigReader::parse(bus::as_text(bus::fuzz_input(data, size)), "fuzz.toml");
  if (!reader) return 0;
  SceneData scene = read_scene(*reader);
  if (const auto read = reader->finish(); !read) {
    require(!read.error().detail.empty());
    return 0;
  }
  // What is accepted can be played to its end.
  const std::vector<QuestRow> quests = scene.quests;
  std::uint32_t active = 0;
  QuestFlow flow(scene.quests, [&](std::uint32_t id) { active = id; });
  flow.begin(0s);
  std::chrono::nanoseconds now{};
  for (int i = 0; i < 100 && active != 0; ++i) {
    require(active == flow.active());
    for (const QuestRow& row : quests) {
      for (const std::uint32_t id : row.monsters) flow.killed(id, now);
      for (const std::uint32_t id : row.traps) flow.trap(id, i % 2 == 0, now);
      for (const std::string& name : row.events) flow.event(name, now);
    }
    if (const auto due = flow.due()) flow.advance(now = *due);
  }
  SpawnTable spawns(scene.spawns, entity::RandomStream(1));
  spawns.begin(0s);
  while (spawns.next(kLongestScene)) {
  }
  require(spawns.living() <= kMaxSceneSpawned);
  return 0;
}
