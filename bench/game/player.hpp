// What the benchmarks of properties and of hosted entities write to, and how they measure.
#pragma once

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstddef>
#include <string>

#include "entity/properties/properties.hpp"

namespace starbus::bench {

using entity::all_clients;
using entity::Audience;
using entity::Bag;
using entity::Field;
using entity::Flags;
using entity::List;
using entity::Map;
using entity::own_client;
using entity::Properties;
using entity::server_only;
using entity::Struct;

struct Stats : Struct<Stats> {
  Field<int> strength{this, "strength", 1};
  Field<int> agility{this, "agility", 1};
  Field<int> wisdom{this, "wisdom", 1};
};
struct Item : Struct<Item> {
  Field<int> kind{this, "kind"};
  Field<int, own_client | Flags::save> count{this, "count"};
};

// Twenty fields, as a player might have them.
struct Player : Properties<Player> {
  Field<std::int64_t, own_client | Flags::save> gold{this, "gold", 100};
  Field<std::int64_t, own_client | Flags::save> experience{this, "experience"};
  Field<std::string, all_clients | Flags::save> nick{this, "nick", "nobody"};
  Field<std::string, all_clients> title{this, "title"};
  Field<int, all_clients | Flags::save> level{this, "level", 1};
  Field<int, all_clients> health{this, "health", 100};
  Field<int, all_clients> mana{this, "mana", 100};
  Field<int, all_clients> mood{this, "mood"};
  Field<int, all_clients> weapon{this, "weapon"};
  Field<int, all_clients> armour{this, "armour"};
  Field<int, all_clients> mount{this, "mount"};
  Field<float, all_clients> speed{this, "speed", 1};
  Field<float, all_clients> scale{this, "scale", 1};
  Field<bool, all_clients> visible{this, "visible", true};
  Field<int> threat{this, "threat"};
  Field<int, server_only> scratch{this, "scratch"};
  Field<Stats, all_clients | Flags::save> stats{this, "stats"};
  List<int, own_client | Flags::save> quests{this, "quests"};
  Map<std::string, int, own_client | Flags::save> counters{this, "counters"};
  Bag<Item, own_client | Flags::save> items{this, "items", 60};
};

inline void watch_three(Player& player) {
  player.watch(Audience::ghost);
  player.watch(Audience::other_clients);
  player.watch(Audience::own_client);
}

template <class Write>
void write_loop(benchmark::State& state, Player& player, Write write) {
  Player* at = &player;
  int value = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(at);
    write(*at, ++value);
    benchmark::ClobberMemory();
  }
}

// Bytes of the heap in use. Large tables are mapped, and counted, too.
inline std::size_t allocated() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

}  // namespace starbus::bench
