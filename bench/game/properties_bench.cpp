// What properties cost, beside floors measured in the same run: a plain store, memcpy, std::map.
// The bars: an unwatched write under 5 ns, a synced one under 60 ns, a tick of 10 changed fields
// for three audiences under 1 us, an entity of 20 fields with its history under 1.5 KiB, created
// and destroyed 500,000 times a second or more (2000 ns). Managed: the same as an entity of an
// EntityManager, with its ids, its hooks and its place in tables and walks.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <vector>

#include "bench/game/micro.hpp"
#include "bench/game/player.hpp"
#include "entity/objects/entity_manager.hpp"

namespace starbus::bench {
namespace {

using namespace entity;

void BM_Floor_PlainStore(benchmark::State& state) {
  int plain = 0;
  int* at = &plain;
  int value = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(at);
    *at = ++value;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Floor_PlainStore);

void BM_Floor_Memcpy16(benchmark::State& state) {
  char from[16] = {};
  char to[16];
  for (auto _ : state) {
    benchmark::DoNotOptimize(from);
    std::memcpy(to, from, sizeof to);
    benchmark::DoNotOptimize(to);
  }
}
BENCHMARK(BM_Floor_Memcpy16);

/// As many bytes as the deltas of ten fields for three audiences have.
void BM_Floor_MemcpyDelta(benchmark::State& state) {
  Bytes from(60);
  Bytes to(60);
  for (auto _ : state) {
    for (int i = 0; i < 3; ++i) {
      benchmark::DoNotOptimize(from.data());
      std::memcpy(to.data(), from.data(), from.size());
      benchmark::DoNotOptimize(to.data());
    }
  }
}
BENCHMARK(BM_Floor_MemcpyDelta);

void BM_Floor_MapAssign(benchmark::State& state) {
  std::map<int, int> fields;
  for (int i = 0; i < 20; ++i) fields[i] = 0;
  int value = 0;
  for (auto _ : state) {
    ++value;
    fields[value % 20] = value;
  }
}
BENCHMARK(BM_Floor_MapAssign);

void BM_Write_ServerOnly(benchmark::State& state) {
  Player player;
  watch_three(player);
  write_loop(state, player, [](Player& p, int value) { p.scratch = value; });
}
BENCHMARK(BM_Write_ServerOnly);

void BM_Write_NoFlags_EntityWatched(benchmark::State& state) {
  Player player;
  watch_three(player);
  write_loop(state, player, [](Player& p, int value) { p.threat = value; });
}
BENCHMARK(BM_Write_NoFlags_EntityWatched);

void BM_Write_NobodyWatches(benchmark::State& state) {
  Player player;
  write_loop(state, player, [](Player& p, int value) { p.health = value; });
}
BENCHMARK(BM_Write_NobodyWatches);

void BM_Write_NobodyWatches_Nested(benchmark::State& state) {
  Player player;
  write_loop(state, player, [](Player& p, int value) { p.stats->strength = value; });
}
BENCHMARK(BM_Write_NobodyWatches_Nested);

void BM_Write_NobodyWatches_InBag(benchmark::State& state) {
  Player player;
  Item* item = *player.items.insert(1001);
  write_loop(state, player, [item](Player&, int value) { item->count = value; });
}
BENCHMARK(BM_Write_NobodyWatches_InBag);

/// As an EntityHost saves: no watcher, and a mark at the first write after each save.
void BM_Write_Saved_NobodyWatches(benchmark::State& state) {
  struct Host final : ChangeListener {
    void changed(std::uint64_t) override {}
    void unsaved(std::uint64_t) override { ++marks; }
    std::uint64_t marks = 0;
  } host;
  Player player;
  player.listen(&host, 1);
  write_loop(state, player, [](Player& p, int value) {
    if (value % 600 == 0) p.await_unsaved();  // ten a second, and a save a minute
    p.gold = value;
  });
  state.counters["marks"] = static_cast<double>(host.marks);
}
BENCHMARK(BM_Write_Saved_NobodyWatches);

// With its share of sealing: a tick every ten writes.
template <class Write>
void synced_loop(benchmark::State& state, Player& player, Write write) {
  watch_three(player);
  int value = 0;
  for (auto _ : state) {
    write(player, ++value);
    if (value % 10 == 0) player.seal();
  }
}

void BM_Write_Synced(benchmark::State& state) {
  Player player;
  synced_loop(state, player, [](Player& p, int value) { p.health = value; });
}
BENCHMARK(BM_Write_Synced);

void BM_Write_Synced_Nested(benchmark::State& state) {
  Player player;
  synced_loop(state, player, [](Player& p, int value) { p.stats->strength = value; });
}
BENCHMARK(BM_Write_Synced_Nested);

void BM_Write_Synced_InBag(benchmark::State& state) {
  Player player;
  Item* item = *player.items.insert(1001);
  synced_loop(state, player, [item](Player&, int value) { item->count = value; });
}
BENCHMARK(BM_Write_Synced_InBag);

void BM_Write_Synced_Unchanged(benchmark::State& state) {
  Player player;
  synced_loop(state, player, [](Player& p, int) { p.health = 7; });
}
BENCHMARK(BM_Write_Synced_Unchanged);

void change_ten(Player& p, int value) {
  p.level = value;
  p.health = value + 1;
  p.mana = value + 2;
  p.mood = value + 3;
  p.weapon = value + 4;
  p.armour = value + 5;
  p.mount = value + 6;
  p.speed = static_cast<float>(value);
  p.scale = static_cast<float>(value);
  p.stats->strength = value;
}

// Ten fields are written and their deltas encoded for three audiences; without the writes it is the
// difference to the row below.
void BM_TenFields_WriteAndEncodeFor3(benchmark::State& state) {
  Player player;
  watch_three(player);
  int value = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    change_ten(player, ++value);
    (void)player.flush([&](Audience, ByteView delta) { bytes += delta.size(); });
  }
  state.counters["bytes/tick"] =
      static_cast<double>(bytes) / static_cast<double>(state.iterations());
}
BENCHMARK(BM_TenFields_WriteAndEncodeFor3);

void BM_TenFields_EncodeFor3(benchmark::State& state) {
  Player player;
  watch_three(player);
  change_ten(player, 5);
  player.seal();
  Version since[] = {player.version(Audience::ghost), player.version(Audience::other_clients),
                     player.version(Audience::own_client)};
  for (Version& version : since) --version.stamp;
  Bytes out;
  for (auto _ : state) {
    for (std::size_t i = 0; i < 3; ++i) {
      out.clear();
      (void)player.encode_delta(static_cast<Audience>(i), since[i], out);
      benchmark::DoNotOptimize(out.data());
    }
  }
}
BENCHMARK(BM_TenFields_EncodeFor3);

void BM_Snapshot_Ghost(benchmark::State& state) {
  Player player;
  watch_three(player);
  Bytes out;
  for (auto _ : state) {
    out.clear();
    (void)player.encode_snapshot(View::ghost, out);
  }
  state.counters["bytes"] = static_cast<double>(out.size());
}
BENCHMARK(BM_Snapshot_Ghost);

void BM_ApplyDelta_TenFields(benchmark::State& state) {
  Player player;
  Player replica;
  player.watch(Audience::ghost);
  replica.become_replica(Audience::ghost);
  Bytes bytes;
  (void)player.encode_snapshot(View::ghost, bytes);
  (void)replica.apply_snapshot(bytes);
  int value = 0;
  for (auto _ : state) {
    state.PauseTiming();
    change_ten(player, ++value);
    bytes.clear();
    (void)player.flush([&](Audience, ByteView delta) { bytes.assign(delta.begin(), delta.end()); });
    state.ResumeTiming();
    if (!replica.apply_delta(bytes)) state.SkipWithError("refused");
  }
}
BENCHMARK(BM_ApplyDelta_TenFields)->Iterations(20'000);

/// The same fields, and nobody who watches them.
struct PlainPlayer {
  std::int64_t gold = 100;
  std::int64_t experience = 0;
  std::string nick = "nobody";
  std::string title;
  int level = 1;
  int numbers[7] = {};
  float speed = 1;
  float scale = 1;
  bool visible = true;
  int threat = 0;
  int scratch = 0;
  int stats[3] = {1, 1, 1};
  std::vector<int> quests;
  std::map<std::string, int> counters;
  std::map<std::int64_t, std::pair<int, int>> items;
};

void BM_Floor_PlainCreateDestroy(benchmark::State& state) {
  for (auto _ : state) {
    auto player = std::make_unique<PlainPlayer>();
    benchmark::DoNotOptimize(player.get());
  }
}
BENCHMARK(BM_Floor_PlainCreateDestroy);

void BM_Entity_CreateDestroy(benchmark::State& state) {
  for (auto _ : state) {
    auto player = std::make_unique<Player>();
    benchmark::DoNotOptimize(player.get());
  }
}
BENCHMARK(BM_Entity_CreateDestroy);

// The life of one: watched by three, ten changes, one tick.
void BM_Entity_CreateWatchChangeDestroy(benchmark::State& state) {
  for (auto _ : state) {
    auto player = std::make_unique<Player>();
    watch_three(*player);
    change_ten(*player, 7);
    player->seal();
  }
}
BENCHMARK(BM_Entity_CreateWatchChangeDestroy);

// Bytes of the heap per entity, history included: every one has had 30 ticks of 4 changes.
constexpr std::size_t kEntities = 100'000;

void BM_Floor_PlainMemory(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<std::unique_ptr<PlainPlayer>> all(kEntities);
    const std::size_t before = allocated();
    for (auto& player : all) player = std::make_unique<PlainPlayer>();
    state.counters["bytes/entity"] =
        static_cast<double>(allocated() - before) / static_cast<double>(kEntities);
  }
}
BENCHMARK(BM_Floor_PlainMemory)->Iterations(1)->Unit(benchmark::kMillisecond);

template <class ForEach>
void live_for_30_ticks(ForEach&& for_each) {
  for_each([](Player& player) { watch_three(player); });
  for (int tick = 1; tick <= 30; ++tick) {
    for_each([tick](Player& player) {
      player.health = tick;
      player.gold = tick;
      player.mood = 2 * tick;
      player.stats->strength = tick;
      player.seal();
    });
  }
}

void BM_Entity_Memory(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<std::unique_ptr<Player>> all(kEntities);
    const std::size_t before = allocated();
    for (auto& player : all) player = std::make_unique<Player>();
    live_for_30_ticks([&](auto visit) {
      for (const auto& player : all) visit(*player);
    });
    state.counters["bytes/entity"] =
        static_cast<double>(allocated() - before) / static_cast<double>(kEntities);
    state.counters["object"] = sizeof(Player);
  }
}
BENCHMARK(BM_Entity_Memory)->Iterations(1)->Unit(benchmark::kMillisecond);

// --- with a manager ------------------------------------------------------------------------------

class Citizen final : public EntityOf<Citizen> {
 public:
  static constexpr std::string_view kTypeName = "citizen";
  explicit Citizen(const ConstructKey& key) : EntityOf(key) {}
  entity::Root* properties() override { return &state; }
  Player state;

 private:
  ~Citizen() override = default;
};

struct Home {
  Home() { static_cast<void>(declare_entity<Citizen>(types)); }
  EntityFactory types;
  std::uint64_t drawn = 0;
  EntityManager entities{types, PersistentIdSource("bench", 1),
                         [this]() -> IdentityResult<OnlineId> { return OnlineId{++drawn}; }};
};

void BM_Managed_CreateDestroy(benchmark::State& state) {
  Home home;
  for (auto _ : state) {
    home.entities.create<Citizen>().value()->destroy();
    home.entities.settle();
  }
}
BENCHMARK(BM_Managed_CreateDestroy);

// A hundred thousand are there: all are made, then all end. Time of one of them.
void BM_Managed_CreateDestroy_100000(benchmark::State& state) {
  Home home;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kEntities; ++i) static_cast<void>(home.entities.create<Citizen>());
    home.entities.for_each<Citizen>([](Citizen& citizen) { citizen.destroy(); });
    while (home.entities.settle()) {
    }
  }
  state.counters["entities"] =
      benchmark::Counter(static_cast<double>(kEntities) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Managed_CreateDestroy_100000)->Unit(benchmark::kMillisecond);

void BM_Managed_Memory(benchmark::State& state) {
  for (auto _ : state) {
    const std::size_t before = allocated();
    Home home;
    for (std::size_t i = 0; i < kEntities; ++i) static_cast<void>(home.entities.create<Citizen>());
    live_for_30_ticks([&](auto visit) {
      home.entities.for_each<Citizen>([&](Citizen& citizen) { visit(citizen.state); });
    });
    state.counters["bytes/entity"] =
        static_cast<double>(allocated() - before) / static_cast<double>(kEntities);
    state.counters["object"] = sizeof(Citizen);
  }
}
BENCHMARK(BM_Managed_Memory)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::micro_main(
      argc, argv, "entity",
      "Measures properties and entities, beside a plain store, memcpy and std::map.");
}
