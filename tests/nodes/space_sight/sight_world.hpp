/// What the tests of views share: a world with things that move and change, observers with views of
/// it, and for each a client that believes what it is told, and nothing else.
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aoi/world.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/space/sight/sight_view.hpp"

namespace starbus::nodes::sight::test {

namespace entity = starbus::entity;
using movement::Position;

struct ThingState : entity::Properties<ThingState> {
  STARBUS_FIELDS(Field<int, all_clients> hp{*this, 100};
                 Field<std::string, all_clients> nick{*this};
                 Map<int, std::string, all_clients> buffs{*this};
                 Field<int, own_client> gold{*this}; Field<std::string, all_clients> page1{*this};
                 Field<std::string, all_clients> page2{*this};
                 Field<std::string, all_clients> page3{*this};)
  /// One field alone cannot be larger than a state may be.
  void fill(std::size_t pages) {
    page1 = std::string(pages > 0 ? kPage : 0, 'x');
    page2 = std::string(pages > 1 ? kPage : 0, 'x');
    page3 = std::string(pages > 2 ? kPage : 0, 'x');
  }
  static constexpr std::size_t kPage = 60'000;
  static_assert(3 * kPage > kSightState && 2 * kPage < kSightState);
};

/// What others may see of it.
inline std::string shown_of(const ThingState& state) {
  const auto all = state.to_json();
  return all.at("hp").dump() + all.at("nick").dump() + all.at("buffs").dump();
}

struct Thing {
  std::uint64_t key = 0;
  aoi::EntityId id;
  ThingState state;
  std::shared_ptr<Subject> subject;
  Locomotion move;
};

/// A client: fails the test when the server breaks the contract.
class ClientCopy {
 public:
  struct Seen {
    std::uint64_t id = 0;
    std::unique_ptr<ThingState> state = std::make_unique<ThingState>();
    std::optional<Position> place;
  };
  void take(bus::ByteView bytes) {
    ++bodies;
    total += bytes.size();
    const auto body = decode_sight(bytes);
    ASSERT_TRUE(body) << body.error().to_string();
    for (const Record& record : body->records) {
      std::visit([this](const auto& each) { on(each); }, record);
    }
    if (!body->moves.empty()) on_moves(body->moves);
  }
  void on(const Scene& scene) {
    EXPECT_EQ(scene.number, number + 1);
    number = scene.number;
    grid = scene.grid;
    is_ready = false;
    seen.clear();
  }
  void on(const Enter& enter) {
    EXPECT_TRUE(is_ready) << "told before it was ready";
    Seen& entry = seen[enter.index];
    EXPECT_EQ(entry.id, 0U) << "an index that is there enters: " << enter.index;
    entry.id = enter.id;
    entry.state->become_replica(entity::Audience::other_clients);
    EXPECT_TRUE(entry.state->apply_snapshot(enter.properties));
    ++enters;
    if (enter.move.empty()) return;
    const auto move = movement::MoveDecoder(grid).decode_body(enter.move, 0);
    ASSERT_TRUE(move);
    entry.place = move->move.position;
  }
  void on(const Leave& leave) {
    EXPECT_TRUE(is_ready);
    EXPECT_EQ(seen.erase(leave.index), 1U) << "an index that is not there leaves";
    ++leaves;
  }
  void on(const News& news) {
    EXPECT_TRUE(is_ready);
    ASSERT_TRUE(seen.contains(news.index)) << "news of an index that is not there";
    ASSERT_FALSE(news.changes.empty());
    ThingState& state = *seen[news.index].state;
    const bool delta = news.changes.front() == std::byte{0xd2};
    const auto taken = delta ? state.apply_delta(news.changes) : state.apply_snapshot(news.changes);
    EXPECT_TRUE(taken) << taken.error().to_string();
    news_bytes += news.changes.size() + 3;
    ++news_told;
  }
  void on_moves(bus::ByteView bytes) {
    EXPECT_TRUE(is_ready);
    std::vector<movement::SeenMove> moves;
    const auto header = movement::MoveDecoder(grid).decode(bytes, moves);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->epoch, number);
    for (const movement::SeenMove& move : moves) {
      ASSERT_TRUE(seen.contains(move.index)) << "a move of an index that is not there";
      seen[move.index].place = move.move.position;
      ++moves_of[seen[move.index].id];
      ++moves_told;
    }
    move_bytes += bytes.size() - movement::kBatchHeader;
  }

  std::uint32_t number = 0;
  bool is_ready = false;
  MoveGrid grid;
  std::map<std::uint16_t, Seen> seen;
  std::map<std::uint64_t, int> moves_of;
  std::size_t bodies = 0, total = 0, enters = 0, leaves = 0, news_told = 0, moves_told = 0;
  std::size_t move_bytes = 0, news_bytes = 0;
};

/// A space of a kilometre with a sight of 30 m.
class SightWorld {
 public:
  struct Observer {
    std::size_t thing = 0;
    aoi::SensorId sensor;
    SightView view;
    ClientCopy client;
    bool credit = true;
    bool answers = true;  // says ready at once
  };

  Thing& add(Position at, std::size_t nick = 0) {
    auto thing = std::make_unique<Thing>();
    thing->key = ++last_key;
    thing->id = *world.add({.position = at, .key = thing->key});
    thing->state.nick = std::string(nick, 'n');
    thing->subject = std::make_shared<Subject>(thing->key, "thing", &thing->state);
    thing->move.position = at;
    thing->subject->set_move(thing->move);
    by_id[thing->id.index()] = thing.get();
    things.push_back(std::move(thing));
    return *things.back();
  }
  void remove(std::size_t place) {
    Thing& thing = *things[place];
    thing.subject->retire();
    EXPECT_TRUE(world.remove(thing.id));
    by_id.erase(thing.id.index());
    things.erase(things.begin() + static_cast<std::ptrdiff_t>(place));
  }
  /// The thing must stay.
  Observer& watch(std::size_t thing, const ViewOptions& options = {}, float radius = 30) {
    auto sensor = world.add_sensor(things[thing]->id, {.radius = radius});
    observers.push_back(
        std::unique_ptr<Observer>(new Observer{thing, *sensor, *SightView::create(options), {}}));
    return *observers.back();
  }
  void go(Thing& thing, Position to) {
    thing.move.position = to;
    thing.move.at = now;
    thing.subject->set_move(thing.move);
    EXPECT_TRUE(world.move(thing.id, to));
  }
  void tick() {
    now += 100;
    store.begin(++ticks, now);
    EXPECT_TRUE(world.update([this](const aoi::Event& event) { on(event); }));
    for (const auto& thing : things) thing->subject->refresh(store);
    for (const auto& observer : observers) tell(*observer);
  }
  void on(const aoi::Event& event) {
    for (const auto& observer : observers) {
      if (observer->sensor != event.sensor) continue;
      if (event.kind == aoi::Kind::leave) {
        observer->view.leaves(event.target);
      } else if (const auto found = by_id.find(event.target.index()); found != by_id.end()) {
        observer->view.enters(event.target, found->second->subject);
      }
    }
  }
  void tell(Observer& observer) {
    if (!observer.credit) return;
    bus::Bytes body;
    if (observer.view.scene_due()) {
      Scene scene{.space = "test-1"};
      observer.view.tell_scene(scene, body);
    } else if (!observer.view.make(store, things[observer.thing]->move.position, body)) {
      EXPECT_TRUE(body.empty());
      return;
    }
    largest = std::max(largest, body.size());
    observer.client.take(body);
    if (observer.answers) ready(observer);
  }
  void ready(Observer& observer) {
    if (observer.client.number == 0) return;
    if (observer.view.ready(observer.client.number)) observer.client.is_ready = true;
  }
  /// What the client should see; places, too, if those far away have had their turn.
  void expect_equal(const Observer& observer, bool places = true) {
    std::map<std::uint64_t, const Thing*> wanted;
    for (const aoi::EntityId id : world.sees(observer.sensor)) {
      wanted[world.key_of(id)] = by_id.at(id.index());
    }
    ASSERT_EQ(observer.client.seen.size(), wanted.size());
    for (const auto& [index, seen] : observer.client.seen) {
      ASSERT_TRUE(wanted.contains(seen.id));
      const Thing& thing = *wanted[seen.id];
      EXPECT_EQ(shown_of(*seen.state), shown_of(thing.state));
      EXPECT_EQ(seen.state->to_json().at("gold"), 0);
      ASSERT_TRUE(seen.place);
      if (places) EXPECT_LT(movement::distance(*seen.place, thing.move.position), 0.02);
    }
  }

  aoi::World world = *aoi::World::create({.bounds = {{0, 0, 0}, {1000, 1000, 0}}, .reach = 30});
  TickStore store{MoveGrid{}};
  std::vector<std::unique_ptr<Thing>> things;
  std::map<std::uint32_t, Thing*> by_id;
  std::vector<std::unique_ptr<Observer>> observers;
  std::uint64_t last_key = 0;
  std::uint64_t ticks = 0;
  std::uint32_t now = 1000;
  std::size_t largest = 0;
};

}  // namespace starbus::nodes::sight::test
