/// Many players who travel to and fro between two nodes, while spaces end and players come and go:
/// each is in one space or in none, hears each number once and in order, and no seat is lost.
#include <random>

#include "tests/nodes/space/travel/support.hpp"

namespace starbus::nodes::space::travel_test {
namespace {

class TravelStorm : public TravelTestBase {
 protected:
  /// How many spaces of both nodes have it as a player that is not on its way out.
  std::map<std::string, int> everywhere() {
    std::map<std::string, int> counts;
    for (Land* const land : {x.get(), y.get()}) {
      land->spaces.for_each([&](GameSpace& space) {
        space.for_each_player([&](entity::Entity& one) {
          if (one.life() == entity::EntityState::alive) ++counts[one.persistent_id()];
        });
      });
    }
    return counts;
  }
  void speak() {
    for (auto& [name, last] : spoken) {
      rpc::call<&Player::hear>(office->endpoint, "player/" + name, {.deadline = 15s}, ++last)(
          [this](const rpc::Reply<int>& reply) { ++(reply && *reply > 0 ? heard : lost); });
    }
  }
  void step(std::mt19937& random) {
    for (Land* const land : {x.get(), y.get()}) {
      land->entities.entities().for_each<Player>([&](Player& one) {
        if (random() % 4 != 0) return;
        Wish wish = to(random() % 2 == 0 ? "field" : "town");
        wish.patience = std::chrono::milliseconds(random() % 2'000);
        land->travels.travel(one, wish, [this](const Result<Travelled>& end) {
          ++ended_[end ? "travelled" : std::string(name_of(end.error().code))];
        });
        if (random() % 16 == 0) land->travels.cancel(one);
      });
      land->spaces.for_each([&](GameSpace& space) {
        if (random() % 40 == 0) static_cast<void>(space.end_after(50ms));
      });
    }
  }

  std::map<std::string, int> spoken;
  std::map<std::string, int> ended_;
  int heard = 0;
  int lost = 0;
};

TEST_F(TravelStorm, EachPlayerIsInOneSpaceAndHearsEachNumberOnce) {
  run([this]() -> Task {
    constexpr int kPlayers = 24;
    SpaceType field = field_type("field", 6, 4);
    field.next = "town";
    CO_TRUE(co_await begin(types(field, field_type("town", 6, 6))));
    CO_TRUE(co_await open(*y));
    for (int i = 0; i < kPlayers; ++i) {
      const std::string name = "p" + std::to_string(i);
      Land& home = *(i % 2 == 0 ? x : y);
      CO_TRUE(co_await player(home, name) != nullptr);
      spoken[name] = 0;
    }
    std::mt19937 random(7);  // NOLINT: the same storm each time
    const auto until_then = std::chrono::steady_clock::now() + 3s;
    int turns = 0;
    while (std::chrono::steady_clock::now() < until_then) {
      step(random);
      if (++turns % 2 == 0) speak();
      co_await turn(10ms);
      for (const auto& [name, count] : everywhere()) EXPECT_EQ(count, 1) << name;
    }
    CO_TRUE(co_await until([this] { return x->travels.size() + y->travels.size() == 0; }));
    int sent = 0;
    for (const auto& [name, last] : spoken) sent += last;
    CO_TRUE(co_await until([&] { return heard + lost == sent; }));
    EXPECT_EQ(lost, 0) << "each number is heard once, and in order";
    EXPECT_GT(x->travels.counters().away + y->travels.counters().away, 20u);
    for (const auto& [name, last] : spoken) {
      EXPECT_NE(x->find(name) != nullptr, y->find(name) != nullptr) << name;
    }
    // What the service counts is what there is: no seat is lost.
    CO_TRUE(co_await until(5s, [this] {
      std::size_t players = 0;
      for (const auto& [name, count] : everywhere()) players += static_cast<std::size_t>(count);
      return seats(*x) + seats(*y) == players;
    }));
    for (const auto& [end, count] : ended_) std::cout << count << " " << end << "\n";
  });
}

}  // namespace
}  // namespace starbus::nodes::space::travel_test
