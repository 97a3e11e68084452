/// Whatever walks, changes, comes and goes, with whatever credit: each client has what is there.
#include <random>

#include "tests/nodes/space_sight/sight_world.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::sight {
namespace {

using namespace test;

class RandomSight {
 public:
  explicit RandomSight(unsigned seed, std::size_t budget) : random_(seed) {
    for (int i = 0; i < 14; ++i) world_.add(place(), 20);
    for (std::size_t i = 0; i < kObservers; ++i) world_.watch(i, {.budget = budget});
  }
  void run(int ticks) {
    for (int i = 0; i < ticks && !::testing::Test::HasFailure(); ++i) {
      for (const auto& thing : world_.things) act(*thing);
      if (one_in(10)) world_.add(place(), 20);
      if (one_in(10) && world_.things.size() > kObservers) {
        world_.remove(kObservers + pick(world_.things.size() - kObservers));
      }
      for (const auto& observer : world_.observers) disturb(*observer);
      world_.tick();
    }
  }
  /// Nothing happens any more but telling.
  void settle(int ticks) {
    for (const auto& observer : world_.observers) {
      observer->credit = observer->answers = true;
      world_.ready(*observer);
    }
    world_.tick();  // a scene that is due
    for (int i = 0; i < ticks; ++i) world_.tick();
  }
  void expect_equal(bool places) {
    for (const auto& observer : world_.observers) world_.expect_equal(*observer, places);
  }
  SightWorld& world() { return world_; }

 private:
  static constexpr std::size_t kObservers = 4;
  bool one_in(int n) { return std::uniform_int_distribution<>(1, n)(random_) == 1; }
  std::size_t pick(std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(random_);
  }
  Position place() {
    std::uniform_real_distribution<float> along(400, 480);
    return {along(random_), along(random_), 0};
  }
  void act(Thing& thing) {
    std::uniform_real_distribution<float> step(-2, 2);
    Position to = thing.move.position;
    to.x += step(random_);
    to.y += step(random_);
    if (one_in(20)) to = place();
    if (!one_in(3)) world_.go(thing, to);
    if (one_in(4)) thing.state.hp -= 1;
    if (one_in(8)) thing.state.gold += 1;
    if (one_in(10)) thing.state.nick = std::string(pick(30), 'a');
    if (one_in(10)) static_cast<void>(thing.state.buffs.put(static_cast<int>(pick(5)), "x"));
    if (one_in(20)) static_cast<void>(thing.state.buffs.erase(static_cast<int>(pick(5))));
  }
  void disturb(SightWorld::Observer& observer) {
    if (one_in(6)) observer.credit = !observer.credit;
    if (one_in(40)) observer.view.begin_scene();
    if (one_in(10)) observer.answers = !observer.answers;
    if (one_in(10)) world_.ready(observer);
    // A client that answers late says the number of another scene.
    EXPECT_FALSE(observer.view.ready(observer.client.number + 1));
  }

  std::mt19937 random_;
  SightWorld world_;
};

TEST(SightProperty, EachClientHasWhatIsThereTwoTicksAfterTheLastWrite) {
  const unsigned seeds = long_runs() ? 400 : 40;
  for (unsigned seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSight run(seed, kSightBudget);
    run.run(120);
    run.settle(2);
    run.expect_equal(false);
    run.settle(8);  // movers far away come less often
    run.expect_equal(true);
    EXPECT_LE(run.world().largest, kSightBudget);
  }
}

TEST(SightProperty, ASmallBudgetOnlyTakesLonger) {
  for (unsigned seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSight run(seed, kLeastBudget);
    run.run(120);
    run.settle(40);
    run.expect_equal(true);
    // One record alone may be larger.
    EXPECT_LE(run.world().largest, kLeastBudget + enter_size(5, 200) + news_size(200));
  }
}

}  // namespace
}  // namespace starbus::nodes::sight
