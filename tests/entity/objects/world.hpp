// Entities that write down what happens to them, and do what the test says.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "entity/objects/entity_manager.hpp"
#include "entity/rpc/rpc.hpp"

namespace starbus::entity::objects_test {

/// What all entities of a test do, and what they did.
struct Script {
  std::vector<std::string> log;
  std::map<std::string, std::function<EntityResult<>()>> at;  // "alice.bag init": what it does
  std::map<std::string, Entity*> named;                       // entities, also those that come up
  int alive = 0;                                              // objects of whatever kind

  EntityResult<> note(const std::string& what) {
    log.push_back(what);
    const auto found = at.find(what);
    return found == at.end() ? EntityResult<>() : found->second();
  }
  void fail(const std::string& what) {
    at[what] = [] { return EntityError(EntityErrc::hook_failed, "no gold"); };
  }
  void raise(const std::string& what) {
    at[what] = []() -> EntityResult<> { throw std::runtime_error("a bug"); };
  }
  std::vector<std::string> take() { return std::exchange(log, {}); }
};
inline Script* script = nullptr;

/// The hooks of one part, as lines of the log.
#define STARBUS_TEST_HOOKS                                                   \
  EntityResult<> on_init() override {                                        \
    return script->note(label_ + " init");                                   \
  }                                                                          \
  EntityResult<> on_activate() override {                                    \
    return script->note(label_ + " activate");                               \
  }                                                                          \
  EntityResult<> on_enter_space(OnlineId, EnterReason) override {            \
    return script->note(label_ + " enter");                                  \
  }                                                                          \
  void on_leave_space(OnlineId, LeaveReason) override {                      \
    (void)script->note(label_ + " leave");                                   \
  }                                                                          \
  void on_deactivate(EndReason why) override {                               \
    (void)script->note(label_ + " deactivate " + std::string(name_of(why))); \
  }                                                                          \
  void on_final(EndReason) override {                                        \
    (void)script->note(label_ + " final");                                   \
  }

class Thing : public EntityOf<Thing> {
 public:
  static constexpr std::string_view kTypeName = "thing";
  explicit Thing(const ConstructKey& key, std::string name = "thing")
      : EntityOf(key), label_(std::move(name)) {
    ++script->alive;
    script->named[label_] = this;
    script->log.push_back(label_ + " made");
  }
  const std::string& name() const { return label_; }

 protected:
  ~Thing() override {
    --script->alive;
    script->log.push_back(label_ + " gone");
  }
  STARBUS_TEST_HOOKS
  std::string label_;
};

template <class Self, class Owner>
class Noting : public ComponentOf<Self, Owner> {
 public:
  explicit Noting(const ComponentKey& key)
      : ComponentOf<Self, Owner>(key),
        label_(this->owner().name() + "." + std::string(Self::kComponentName)) {
    ++script->alive;
    script->log.push_back(label_ + " made");
  }

 protected:
  ~Noting() override {
    --script->alive;
    script->log.push_back(label_ + " gone");
  }
  STARBUS_TEST_HOOKS
  std::string label_;
};

class Player;

/// What two classes of components have in common.
class BagMethods : public rpc::Callable<BagMethods> {
 public:
  int count(rpc::Caller&) { return 7; }
  static constexpr auto kRpc =
      rpc::methods("objects_bag", rpc::method<&BagMethods::count>("count"));
};
class Bag final : public Noting<Bag, Thing>, public BagMethods {
 public:
  static constexpr std::string_view kComponentName = "bag";
  using Noting::Noting;

 private:
  ~Bag() override = default;
};
class Quests final : public Noting<Quests, Player> {
 public:
  static constexpr std::string_view kComponentName = "quests";
  explicit Quests(const ComponentKey& key);

 private:
  ~Quests() override = default;
};
class Extra final : public Noting<Extra, Thing> {
 public:
  static constexpr std::string_view kComponentName = "extra";
  using Noting::Noting;

 private:
  ~Extra() override = default;
};
class OtherBag final : public Noting<OtherBag, Thing>, public rpc::Callable<OtherBag, BagMethods> {
 public:
  static constexpr std::string_view kComponentName = "other_bag";
  using Noting::Noting;
  int size(rpc::Caller&) { return 1; }
  static constexpr auto kRpc =
      rpc::methods("objects_other_bag", rpc::method<&OtherBag::size>("size"));

 private:
  ~OtherBag() override = default;
};

class Actor : public EntityOf<Actor, Thing, Components<Bag>> {
 public:
  static constexpr std::string_view kTypeName = "actor";
  virtual int strength() const = 0;

 protected:
  ~Actor() override = default;
  Actor(const ConstructKey& key, std::string name) : EntityOf(key, std::move(name)) {}
};
class Player : public EntityOf<Player, Actor, Components<Quests>> {
 public:
  static constexpr std::string_view kTypeName = "player";
  explicit Player(const ConstructKey& key, std::string name = "player")
      : EntityOf(key, std::move(name)) {}
  int strength() const override { return 1; }
  int level(rpc::Caller&) { return 3; }
  void leave(rpc::Caller&) { destroy(); }
  rpc::Task<int> slow(rpc::Caller& from);
  int began = 0;
  static constexpr auto kRpc =
      rpc::methods("objects_player", rpc::method<&Player::level>("level"),
                   rpc::method<&Player::leave>("leave"), rpc::method<&Player::slow>("slow"));

 protected:
  ~Player() override = default;
};
inline Quests::Quests(const ComponentKey& key) : Noting(key) {}

/// Made with a number: not by its name.
class Monster final : public EntityOf<Monster, Thing> {
 public:
  static constexpr std::string_view kTypeName = "monster";
  Monster(const ConstructKey& key, int number) : EntityOf(key, "monster" + std::to_string(number)) {
    if (number < 0) throw std::runtime_error("no such monster");
  }

 private:
  ~Monster() override = default;
};

struct Watcher final : EntityObserver {
  void unsettled() override { ++wanted; }
  void activated(Entity& entity) override { active.push_back(entity.online_id()); }
  void finished(Entity& entity, EndReason) override { finished_ids.push_back(entity.online_id()); }
  void failed(const HookFailure& failure) override { failures.push_back(failure.to_string()); }
  int wanted = 0;
  std::vector<OnlineId> active, finished_ids;
  std::vector<std::string> failures;
};

class ObjectsTest : public ::testing::Test {
 protected:
  ObjectsTest() {
    script = &events;
    EXPECT_TRUE(declare_entity<Thing>(types));
    EXPECT_TRUE(declare_entity<Actor>(types));
    EXPECT_TRUE(declare_entity<Player>(types));
    EXPECT_TRUE(declare_entity<Monster>(types));
  }
  ~ObjectsTest() override {
    entities.reset();
    EXPECT_EQ(events.alive, 0);
  }
  void settle() {
    while (entities->settle()) {
    }
  }

  Script events;
  Watcher watcher;
  EntityFactory types;
  std::uint64_t drawn = 0x7f3a;
  std::unique_ptr<EntityManager> entities = std::make_unique<EntityManager>(
      types, PersistentIdSource("n", 1),
      [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); },
      EntityOptions{.observer = &watcher});
};

}  // namespace starbus::entity::objects_test
