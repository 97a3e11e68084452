// What deflated packets save and cost: the full state of a player of some KiB,
// and an announcement. `bytes` and `deflated` are the sizes. The floor is a memcpy.
#include <benchmark/benchmark.h>

#include <cstring>
#include <map>
#include <string>

#include "bench/game/micro.hpp"
#include "clients/cpp/inflate.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/gate/wire/deflate.hpp"

namespace starbus::bench {
namespace {

using namespace entity;

struct Item : Struct<Item> {
  Field<int, own_client> kind{this, "kind"};
  Field<int, own_client> count{this, "count"};
  Field<std::string, own_client> maker{this, "maker"};
};
struct Player : Properties<Player> {
  Field<std::int64_t, own_client> gold{this, "gold", 100};
  Field<std::string, own_client> nick{this, "nick", "somebody"};
  Field<int, own_client> level{this, "level", 1};
  List<int, own_client> quests{this, "quests"};
  Map<std::string, int, own_client> counters{this, "counters"};
  Bag<Item, own_client> items{this, "items", 120};
};

std::uint32_t next_random(std::uint32_t& state) {
  state = state * 1'664'525U + 1'013'904'223U;
  return state >> 8;
}

/// A bag of 100 items of 20 makers, 40 quests and 60 counters with names.
bus::Bytes full_state() {
  Player player;
  std::uint32_t random = 7;
  for (int i = 0; i < 100; ++i) {
    Item* const item = *player.items.insert(1'000 + i);
    item->kind = static_cast<int>(next_random(random) % 400);
    item->count = static_cast<int>(1 + next_random(random) % 20);
    item->maker = "smith " + std::to_string(next_random(random) % 20);
  }
  for (int i = 0; i < 40; ++i) {
    (void)player.quests.push_back(static_cast<int>(next_random(random) % 5'000));
  }
  std::map<std::string, int> counters;
  for (int i = 0; i < 60; ++i) {
    counters["killed." + std::to_string(next_random(random) % 900)] =
        static_cast<int>(next_random(random) % 1'000);
  }
  (void)player.counters.set(std::move(counters));
  bus::Bytes bytes;
  (void)player.encode_snapshot(View::own_client, bytes);
  return bytes;
}
/// What a person has written.
bus::Bytes announcement() {
  const std::string text =
      "The gates of the northern keep are closed tonight. All who want to take part in the siege "
      "meet at the bridge before nine; bring torches, rope, and enough to eat for two days. The "
      "guild of smiths repairs weapons and armour of everybody who comes, and asks for nothing but "
      "the ore that you find on the way. Those who stay in the city keep to the walls: the dragon "
      "was seen twice over the harbour, and the archers will not wait for orders. Whoever finds "
      "the banner of the third company may bring it to the captain, and has a wish for free.";
  const bus::ByteView bytes = bus::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}
bus::Bytes body_of(std::int64_t which) {
  return which == 0 ? full_state() : announcement();
}

void BM_Floor_Memcpy(benchmark::State& state) {
  const bus::Bytes body = body_of(state.range(0));
  bus::Bytes to(body.size());
  for (auto _ : state) {
    std::memcpy(to.data(), body.data(), body.size());
    benchmark::DoNotOptimize(to.data());
  }
}
BENCHMARK(BM_Floor_Memcpy)->Arg(0)->Arg(1);

void BM_Deflate(benchmark::State& state) {
  const bus::Bytes body = body_of(state.range(0));
  nodes::gate::Deflater deflater;
  bus::Bytes small;
  for (auto _ : state) {
    small = deflater.deflated(body);
    benchmark::DoNotOptimize(small.data());
  }
  state.counters["bytes"] = static_cast<double>(body.size());
  state.counters["deflated"] = static_cast<double>(small.size());
}
BENCHMARK(BM_Deflate)->Arg(0)->Arg(1);

void BM_Inflate(benchmark::State& state) {
  nodes::gate::Deflater deflater;
  const bus::Bytes small = deflater.deflated(body_of(state.range(0)));
  game::Bytes frame{std::byte{196}, std::byte{1}, std::byte{2}};
  frame.insert(frame.end(), small.begin(), small.end());
  for (auto _ : state) benchmark::DoNotOptimize(game::inflate_packet(frame));
}
BENCHMARK(BM_Inflate)->Arg(0)->Arg(1);

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::micro_main(
      argc, argv, "deflate",
      "Measures what deflated packets save and cost: /0 a full state, /1 an announcement.");
}
