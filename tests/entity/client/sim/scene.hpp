/// A world at rest in which the client c1 plays player/a/1 at home 1 through gate 1, and what
/// scripted cases do to it. Nothing is asked for a second time until end(); a seed decides in which
/// order what is under way arrives. One thread; throws Violation.
#pragma once

#include <string>
#include <utility>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

struct Scene {
  static constexpr const char* kE = "player/a/1";
  static constexpr const char* kAccount = "account/a";

  explicit Scene(std::uint64_t seed, std::string broken = "")
      : world(seed, std::move(broken), true) {
    world.hole = 1 << 29;
    c1().connect(world.pid_of(1, 1));
    rest();
    if (world.player(kE)->pid != world.pid_of(2, 1)) move_to(1);
    rest();
  }

  Client& c1() { return *world.clients[0]; }
  Client& c2() { return *world.clients[1]; }
  Player& e() { return *world.player(kE); }
  Account& account() { return *world.account(kAccount); }

  void rest(int ticks = 5) {
    for (int i = 0; i < ticks; ++i) {
      world.settle();
      world.tick();
    }
    world.settle();
  }
  void move_to(std::uint32_t slot) {
    world.free_source(kE);
    world.move(kE, world.pid_of(2, slot));
    world.attach(kE);
    world.settle();
  }
  void say(int times = 3) {
    for (int i = 0; i < times; ++i) e().act();
  }
  /// The home of E has died, and somebody has loaded E at another one before anybody heard.
  void load_again(std::uint32_t slot) {
    world.free_source(kE);
    world.kill(e().pid);
    const Pid there = world.pid_of(2, slot);
    world.own(kE, there, std::make_shared<Player>(world, kE, there));
  }
  void hold_from(const Pid& pid, const std::string& what) {
    world.hold = [pid, what](const Message& message, const std::string&) {
      return message.what == what && (pid == Pid{} || message.from == pid);
    };
  }
  void hold(const std::string& what) { hold_from({}, what); }
  void free() {
    world.hold = nullptr;
    world.hold_wire = nullptr;
    world.settle();
  }
  /// The connection breaks, and the client comes to this gate.
  void away(std::uint32_t slot) {
    if (c1().wire) world.cut(c1().wire);
    c1().unplug();
    c1().connect(world.pid_of(1, slot));
    world.settle();
  }
  /// Its connection breaks, and it never comes back.
  void leave() {
    if (c1().wire) world.cut(c1().wire);
    c1().unplug();
    c1().told = true;
  }
  /// Others come when they are told to: a login of another device would mend what is broken.
  void alone() {
    world.leavers = false;
    for (const auto& client : world.clients) client->told = !client->session;
  }
  static void demand(bool good, const std::string& what) {
    if (!good) World::bad(what);
  }
  /// The hold is over, time passes, and all converges.
  void end() {
    free();
    world.hole = 4;
    world.heal();
  }

  World world;
};

}  // namespace starbus::entity::sessions::sim
