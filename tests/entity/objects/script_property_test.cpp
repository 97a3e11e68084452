// Random scripts of creations, endings and hooks that fail or nest, beside a model in a few lines.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>

#include "tests/entity/objects/world.hpp"
#include "tests/places.hpp"

namespace starbus::entity::objects_test {
namespace {

/// What should be so: names of the living, in the order of their creation, and of those that end.
struct Model {
  std::vector<std::string> living;
  std::deque<std::string> ending;
  std::map<std::string, std::function<void()>> at_final;

  void destroy(const std::string& name) {
    if (std::erase(living, name) > 0) ending.push_back(name);
  }
  void settle(std::size_t most) {
    for (std::size_t i = 0; i < most && !ending.empty(); ++i) {
      const std::string name = ending.front();
      ending.pop_front();
      if (const auto plan = at_final.find(name); plan != at_final.end()) plan->second();
    }
  }
};

class ScriptRun : public ObjectsTest {
 public:
  void TestBody() override {}

  void step(std::uint8_t operation, std::uint8_t which) {
    switch (operation % 9) {
      case 0:
      case 1:
        return create_well();
      case 2:
        return create_badly(which);
      case 3:
        if (const std::string name = pick(which); !name.empty()) {
          events.named[name]->destroy();
          model.destroy(name);
        }
        return;
      case 4:
        entities->settle(which % 4U);
        return model.settle(which % 4U);
      case 5:
        return create_that_destroys(pick(which));
      case 6:
        return plan_heir(pick(which));
      case 7:
        return plan_murder(pick(which), pick(static_cast<std::uint8_t>(which + 1)));
      case 8:
        return walk();
    }
  }
  void check() {
    std::vector<std::string> seen;
    entities->for_each<Thing>([&](Thing& thing) { seen.push_back(thing.name()); });
    RC_ASSERT(seen == model.living);
    RC_ASSERT(entities->size() == model.living.size() + model.ending.size());
    // Each is three objects: itself and two components.
    RC_ASSERT(events.alive == static_cast<int>(3 * entities->size()));
    for (const std::string& name : model.living) {
      const Entity* entity = events.named[name];
      RC_ASSERT(entities->find(entity->local_id()) == entity);
      RC_ASSERT(entities->find(entity->online_id()) == entity);
      RC_ASSERT(entities->find_persistent(name) == entity);
    }
    for (const std::string& name : model.ending) {
      RC_ASSERT(entities->find(events.named[name]->online_id()) == nullptr);
    }
  }
  /// In each life: no hook twice, and all in order.
  void check_lives() {
    std::map<std::string, std::vector<std::string>> lives;
    for (const std::string& line : events.log) {
      const auto space = line.find(' ');
      lives[line.substr(0, space)].push_back(line.substr(space + 1));
    }
    const std::vector<std::string> whole = {"made",  "init", "activate", "deactivate destroyed",
                                            "final", "gone"};
    for (auto& one : lives) {
      auto& life = one.second;
      std::ranges::replace(life, "deactivate closing", "deactivate destroyed");
      std::vector<std::string> expected;
      std::ranges::copy_if(whole, std::back_inserter(expected), [&](const std::string& line) {
        return std::ranges::count(life, line) > 0;
      });
      RC_ASSERT(life == expected);
      RC_ASSERT(life.front() == "made" && life.back() == "gone");
    }
  }
  void finish() {
    (void)entities->close();
    RC_ASSERT(events.alive == 0);
    check_lives();
  }

 private:
  std::string next_name() { return "e" + std::to_string(++made_); }
  EntityResult<Player*> make(const std::string& name) {
    CreateOptions options;
    options.persistent_id = name;
    return entities->create_with<Player>(options, name);
  }
  std::string pick(std::uint8_t which) const {
    return model.living.empty() ? std::string() : model.living[which % model.living.size()];
  }
  void create_well() {
    const std::string name = next_name();
    RC_ASSERT(make(name).has_value());
    model.living.push_back(name);
  }
  void create_badly(std::uint8_t which) {
    static const std::vector<std::string> kWhere = {
        ".bag init", ".quests init", " init", ".bag activate", ".quests activate", " activate"};
    const std::string name = next_name();
    const std::string where = name + kWhere[which % kWhere.size()];
    switch (which / kWhere.size() % 3) {
      case 0:
        events.fail(where);
        break;
      case 1:
        events.raise(where);
        break;
      case 2:
        events.at[where] = [this, name]() -> EntityResult<> {
          events.named[name]->destroy();
          return {};
        };
        break;
    }
    RC_ASSERT(!make(name).has_value());
  }
  void create_that_destroys(const std::string& victim) {
    if (victim.empty()) return;
    const std::string name = next_name();
    events.at[name + ".quests init"] = [this, victim]() -> EntityResult<> {
      events.named[victim]->destroy();
      return {};
    };
    RC_ASSERT(make(name).has_value());
    model.destroy(victim);
    model.living.push_back(name);
  }
  void plan_heir(const std::string& name) {
    if (name.empty()) return;
    const std::string heir = next_name();
    events.at[name + ".bag final"] = [this, heir]() -> EntityResult<> {
      if (!make(heir)) return EntityErrc::hook_failed;
      return {};
    };
    model.at_final[name] = [this, heir] { model.living.push_back(heir); };
    events.at.erase(name + " final");
  }
  void plan_murder(const std::string& name, const std::string& victim) {
    if (name.empty() || name == victim) return;
    events.at[name + " final"] = [this, victim]() -> EntityResult<> {
      if (Entity* there = entities->find_persistent(victim)) there->destroy();
      return {};
    };
    events.at.erase(name + ".bag final");
    model.at_final[name] = [this, victim] { model.destroy(victim); };
  }
  /// Destroys every second one, and makes one on the way.
  void walk() {
    std::size_t number = 0;
    std::vector<std::string> made;
    const std::vector<std::string> before = model.living;
    entities->for_each<Player>([&](Player& player) {
      RC_ASSERT(player.name() == before[number]);
      if (number % 2 == 1) player.destroy();
      if (number++ == 0) {
        made.push_back(next_name());
        RC_ASSERT(make(made.back()).has_value());
      }
    });
    RC_ASSERT(number == before.size());
    for (std::size_t i = 1; i < before.size(); i += 2) model.destroy(before[i]);
    for (const std::string& name : made) model.living.push_back(name);
  }

  Model model;
  int made_ = 0;
};

RC_GTEST_PROP(EntityScripts, EndAsTheModelSays, ()) {
  ScriptRun run;
  const auto length = *rc::gen::inRange<std::size_t>(0, long_runs() ? 400 : 60);
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint8_t>>>(
      length, rc::gen::arbitrary<std::pair<std::uint8_t, std::uint8_t>>());
  for (const auto& [operation, which] : steps) {
    run.step(operation, which);
    run.check();
  }
  run.finish();
}

}  // namespace
}  // namespace starbus::entity::objects_test
