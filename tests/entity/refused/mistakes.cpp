// Mistakes that must not compile, each with words that the compiler must say of it: check.cmake
// compiles this file, and looks for them. ".*" stands for whatever the compiler prints in between.
#include "bus/client/bus.hpp"
#include "entity/objects/entity.hpp"
#include "entity/properties/properties.hpp"
#include "entity/rpc/rpc.hpp"

namespace game {

namespace entity = starbus::entity;
namespace rpc = starbus::entity::rpc;

struct Plain {  // without serialize
  int x = 0;
  bool operator==(const Plain&) const = default;
};

struct Bare {
  int x = 0;
};

class Monster final : public entity::EntityOf<Monster> {
 public:
  static constexpr std::string_view kTypeName = "monster";
  explicit Monster(const entity::ConstructKey& key) : EntityOf(key) {}
  std::int64_t hit(rpc::Caller&, std::int64_t damage) { return damage; }
  void name_it(rpc::Caller&, std::string, std::vector<int>) {}
  void taunt(rpc::Caller&) {}
  void no_caller(int) {}
  void respawn(int) {}
  void forgotten(int) {}
  static constexpr auto kRpc = rpc::methods("monster", rpc::method<&Monster::hit>("hit"),
                                            rpc::method<&Monster::name_it>("name_it"));
  static constexpr auto kSteps = entity::steps(entity::step<&Monster::respawn>("respawn"));

 private:
  ~Monster() override = default;
};
class Silent final : public rpc::Callable<Silent> {
 public:
  void say(rpc::Caller&, int) {}
};
class Postman final : public rpc::Callable<Postman> {
 public:
  void take(rpc::Caller&, Bare) {}
  static constexpr auto kRpc = rpc::methods("postman", rpc::method<&Postman::take>("take"));
};

rpc::Task<int> binds(starbus::bus::Bus& bus) {
  // says: destroy these handlers twice: give them a name first
  const auto bound = co_await bus.bind("player/1", {});
  co_return bound.has_value() ? 1 : 0;
}

void calls(rpc::Endpoint& endpoint) {
  // says: argument_does_not_fit<&.*Monster::hit, 1.*, long.*, const char.*\[4\]>
  (void)rpc::call<&Monster::hit>(endpoint, "monster/1", {}, "abc");
  // says: argument_does_not_fit<&.*Monster::name_it, 2.*vector<int.*>, int>
  (void)rpc::send<&Monster::name_it>(endpoint, "monster/1", {}, "abc", 5);
  // says: wrong_number_of_arguments<&.*Monster::hit, 1.*, 2
  (void)rpc::call<&Monster::hit>(endpoint, "monster/1", {}, 1, 2);
  // says: method_is_not_declared<&.*Monster::taunt>
  (void)rpc::send<&Monster::taunt>(endpoint, "monster/1", {});
  // says: method_is_not_declared<&.*Silent::say>
  (void)rpc::send<&Silent::say>(endpoint, "silent/1", {}, 1);
  // says: method_cannot_be_called<&.*Monster::no_caller>
  (void)rpc::call<&Monster::no_caller>(endpoint, "monster/1", {}, 1);
  // says: cannot_be_saved_or_sent<.*Bare>
  (void)rpc::send<&Postman::take>(endpoint, "postman/1", {}, Bare{});
  // says: rpc::method<&Class::name>
  const std::vector<std::string> many;
  (void)rpc::multicast<&Monster::taunt>(endpoint, many, {});
}

// A reference to a class that has no such method.
void references(Monster& monster, const entity::Ref<Postman>& postman) {
  // says: MethodFitsReference<.*Monster, .*Postman>
  (void)monster.send<&Monster::hit>(postman, 1);
  // says: the method is of MethodsClass, and the reference is to a ReferredClass
}

void steps(Monster& monster) {
  // says: step_is_not_declared<&.*Monster::forgotten>
  (void)monster.run_later<&Monster::forgotten>({}, 1);
  // says: entity::step<&Class::name>
  // says: step_argument_does_not_fit<&.*Monster::respawn, 1.*, int, const char.*\[2\]>
  (void)monster.run_later<&Monster::respawn>({}, "x");
  // says: wrong_number_of_step_arguments<&.*Monster::respawn, 1.*, 0
  (void)monster.run_later<&Monster::respawn>({});
}

struct BadState : entity::Properties<BadState> {
  // says: cannot_be_saved_or_sent<.*Plain>
  entity::Field<Plain> plain{this, "plain"};
  // says: derive it from entity::Struct
  entity::List<std::pair<int, Plain>> list{this, "list"};
  // says: cannot_be_saved_or_sent<.*pair<int, .*Plain>
};
BadState bad_state;

struct ActorState : entity::Properties<ActorState> {
  entity::Field<int> hp{this, "hp"};
};
struct MonsterState : ActorState {
  // says: class_with_fields_does_not_name_itself<.*MonsterState>
  entity::Field<int> rage{this, "rage"};
  // says: Properties<Itself, Base>
};
MonsterState monster_state;

struct NamelessState : entity::Properties<NamelessState> {
  // says: field_without_a_name<.*NamelessState>
  entity::Field<int> hp{*this};
  // says: stands within STARBUS_FIELDS
};
NamelessState nameless_state;

}  // namespace game
