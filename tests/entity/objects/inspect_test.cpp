/// What an entity looks like from outside; what it forgets when it leaves a space.
#include <gmock/gmock.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

#include "entity/machines/machine.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/properties.hpp"

namespace starbus::entity {
namespace {

using namespace std::chrono_literals;

struct GoatState : Properties<GoatState> {
  Field<std::string, all_clients> name{this, "name", "billy"};
  Field<int, per_space> steps{this, "steps"};
  Field<int, Flags::save> milk{this, "milk"};
  List<std::string> memories{this, "memories"};
};
class Bell final : public ComponentOf<Bell> {
 public:
  static constexpr std::string_view kComponentName = "bell";
  explicit Bell(const ComponentKey& key) : ComponentOf(key) {}

 private:
  ~Bell() override = default;
};
class Goat;
struct Asleep;
struct Awake;
using Day = Machine<Goat, Asleep, Awake>;
struct Asleep {
  static constexpr std::string_view kName = "asleep";
};
struct Awake {
  static constexpr std::string_view kName = "awake";
  static constexpr Time kDeadline = 10s;
  void on(const DeadlinePassed&, Day& day) { static_cast<void>(day.change_to(Asleep{})); }
};

class Goat final : public EntityOf<Goat, Entity, Components<Bell>> {
 public:
  static constexpr std::string_view kTypeName = "goat";
  explicit Goat(const ConstructKey& key) : EntityOf(key) {}
  void chew(int) { ++chewed; }
  static constexpr auto kSteps = steps(step<&Goat::chew>("chew"));
  entity::Root* properties() override { return &state; }
  MachineGroup* machines() override { return day ? &group : nullptr; }
  GoatState state;
  int chewed = 0;
  MachineGroup group;
  std::optional<Day> day;

 private:
  ~Goat() override = default;
};

struct Host final : EntityObserver {
  void describe(const Entity&, nlohmann::ordered_json& shown) const override {
    shown["unsaved"] = true;
  }
  void step_began(const Entity& entity, std::string_view step) override {
    running = std::string(entity.type().name()) + "." + std::string(step);
  }
  void step_ended() override { ran.push_back(std::exchange(running, {})); }
  std::string running;
  std::vector<std::string> ran;
};

class Inspect : public ::testing::Test {
 protected:
  Inspect() { EXPECT_TRUE(declare_entity<Goat>(types)); }
  Host host;
  EntityFactory types;
  TimerWheel wheel;
  std::uint64_t drawn = 0x7f3a;
  EntityManager entities{types,
                         PersistentIdSource("n", 1),
                         [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); },
                         {.observer = &host, .timers = &wheel}};
};

TEST_F(Inspect, ShowsTheWholeEntity) {
  Goat* goat = entities.create<Goat>().value();
  goat->state.watch(Audience::own_client);
  goat->state.milk = 3;
  ASSERT_TRUE(goat->run_later<&Goat::chew>({.first = 2s, .interval = 1s}, 7));
  const auto shown = entities.describe(*goat);
  EXPECT_EQ(shown["type"], "goat");
  EXPECT_EQ(shown["online_id"], "7f3a");
  EXPECT_EQ(shown["state"], "alive");
  EXPECT_TRUE(shown["space"].is_null());
  EXPECT_EQ(shown["components"], nlohmann::ordered_json::array({"bell"}));
  ASSERT_EQ(shown["steps"].size(), 1U);
  EXPECT_EQ(shown["steps"][0]["step"], "chew");
  EXPECT_EQ(shown["steps"][0]["due_in_ms"], 2000.0);
  EXPECT_EQ(shown["steps"][0]["every_ms"], 1000.0);
  EXPECT_TRUE(shown["watched"].contains("own_client"));
  EXPECT_EQ(shown["properties"]["milk"], 3);
  EXPECT_EQ(shown["properties"]["name"], "billy");
  EXPECT_EQ(shown["unsaved"], true) << "what its surroundings know";
}

TEST_F(Inspect, ShowsItsStateMachines) {
  Goat* goat = entities.create<Goat>().value();
  EXPECT_FALSE(entities.describe(*goat).contains("machines")) << "it has none";
  goat->day.emplace("day", *goat, wheel, &goat->group);
  ASSERT_TRUE(goat->group.start());
  ASSERT_TRUE(goat->day->change_to(Awake{}));
  wheel.advance(3s);
  ASSERT_TRUE(goat->day->handle(7)) << "no state has a handler for it";
  const auto shown = entities.describe(*goat)["machines"];
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0]["machine"], "day");
  EXPECT_EQ(shown[0]["state"], "awake");
  EXPECT_EQ(shown[0]["in_state_ms"], 3000.0);
  EXPECT_EQ(shown[0]["deadline_in_ms"], 7000.0);
  EXPECT_EQ(shown[0]["ignored"], 1);
  goat->day.reset();
}

TEST_F(Inspect, ExcessIsLeftOutAndCounted) {
  Goat* goat = entities.create<Goat>().value();
  const std::string memory(kMaxValue / 2, 'x');
  for (std::uint64_t i = 0; i * memory.size() <= kShownProperties; ++i) {
    ASSERT_TRUE(goat->state.memories.push_back(memory));
  }
  for (std::uint64_t i = 0; i < kShownSteps + 2; ++i) {
    ASSERT_TRUE(goat->run_later<&Goat::chew>({.first = 2s}, 7));
  }
  std::deque<Day> days;
  for (std::uint64_t i = 0; i < kShownMachines + 1; ++i) {
    days.emplace_back("day", *goat, wheel, &goat->group);
  }
  goat->day.emplace("day", *goat, wheel);
  const auto shown = entities.describe(*goat);
  EXPECT_EQ(shown["machines"].size(), kShownMachines);
  EXPECT_EQ(shown["machines_left_out"], 1);
  EXPECT_FALSE(shown.contains("properties"));
  EXPECT_GT(shown["properties_left_out"].get<std::uint64_t>(), kShownProperties);
  EXPECT_EQ(shown["steps"].size(), kShownSteps);
  EXPECT_EQ(shown["steps_left_out"], 2);
  EXPECT_LT(shown.dump().size(), 64 * 1024U);
}

TEST_F(Inspect, StepsAreNamedWhileTheyRunAndCountedByType) {
  Goat* goat = entities.create<Goat>().value();
  ASSERT_TRUE(goat->run_later<&Goat::chew>({.first = 1ms}, 7));
  while (wheel.advance(1s).more) {
  }
  EXPECT_EQ(goat->chewed, 1);
  EXPECT_THAT(host.ran, ::testing::ElementsAre("goat.chew"));
  EXPECT_EQ(entities.rows().front().steps, 1U);
}

TEST_F(Inspect, LeavingASpaceForgetsItsCounts) {
  Goat* goat = entities.create<Goat>().value();
  ASSERT_TRUE(entities.enter_space(*goat, OnlineId{5}));
  goat->state.steps = 12;
  goat->state.milk = 3;
  EXPECT_TRUE(entities.leave_space(*goat));
  EXPECT_EQ(goat->state.steps, 0);
  EXPECT_EQ(goat->state.milk, 3);
}

}  // namespace
}  // namespace starbus::entity
