/// A world at rest in which the client c1 plays player/a/1 at home 1 through gate 1, and what
/// scripted cases do to it. Nothing is asked for a second time until end(); a seed decides in which
/// order what is under way arrives. One thread; throws Violation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

/// Each program of cases says on which bus they are played, and in how many orders.
std::unique_ptr<SessionBus> make_case_bus(std::uint64_t seed);
std::vector<std::uint64_t> case_seeds();

struct Scene {
  static constexpr const char* kE = "player/a/1";
  static constexpr const char* kAccount = "account/a";

  explicit Scene(std::uint64_t seed, std::string broken = "")
      : world(make_case_bus(seed), seed, std::move(broken), true) {
    world.bus().scripted = true;
    world.hole = 1 << 29;
    c1().connect(gate_pid(1));
    rest();
    if (e().pid != home(1)) move_to(1);
    rest();
  }

  Client& c1() { return *world.clients[0]; }
  Client& c2() { return *world.clients[1]; }
  Player& e() {
    Player* const there = world.player(kE);
    demand(there != nullptr, "P5 nobody has player/a/1");
    return *there;
  }
  Account& account() { return *world.account(kAccount); }
  Pid home(std::uint32_t slot) const { return world.pid_of(kHomes, slot); }
  Pid gate_pid(std::uint32_t slot) const { return world.pid_of(kGates, slot); }
  Gate& gate(std::uint32_t slot) { return *world.gate(gate_pid(slot)); }
  Gate& gate_of(const Client& client) { return *world.gate(client.at()); }

  void rest(int ticks = 5) {
    for (int i = 0; i < ticks; ++i) {
      world.settle();
      world.tick();
    }
    world.settle();
  }
  /// Its state is packed, and has not left.
  void begin_move(std::uint32_t slot) {
    world.bus().free_source(kE);
    world.move(kE, home(slot));
  }
  void move_to(std::uint32_t slot) {
    begin_move(slot);
    world.bus().attach(kE);
    world.settle();
  }
  void say(int times = 3) {
    for (int i = 0; i < times; ++i) e().act();
  }
  void flush(Player& player) {
    while (player.link.ready()) player.flush();
  }
  /// The home of E has died, and somebody has loaded E at another one before anybody heard.
  void load_again(std::uint32_t slot) {
    world.bus().free_source(kE);
    world.kill(e().pid);
    world.load_at(home(slot), kE);
  }
  using Held = std::function<bool(const Letter&)>;
  void hold_letters(Held held) { world.bus().hold = std::move(held); }
  void hold_from(const Pid& pid, const std::string& what) {
    hold_letters([pid, what](const Letter& letter) {
      return letter.what == what && (pid == Pid{} || letter.from == pid);
    });
  }
  void hold(const std::string& what) { hold_from({}, what); }
  void free() {
    world.bus().hold = nullptr;
    world.hold_wire = nullptr;
    world.settle();
  }
  /// The connection breaks, and the client knows it.
  void unplug() {
    if (c1().wire) world.cut(c1().wire);
    c1().unplug();
  }
  /// Likewise, and the client comes to this gate.
  void away(std::uint32_t slot) {
    unplug();
    c1().connect(gate_pid(slot));
    world.settle();
  }
  /// Its connection breaks, and it never comes back.
  void leave() {
    unplug();
    c1().told = true;
  }
  /// A gate hands its sessions to another one, ends, and starts again.
  void upgrade(std::uint32_t slot, std::uint32_t to) {
    gate(slot).drain({gate_pid(to)});
    for (int ticks = 0; ticks < 30 && !gate(slot).core.drained(); ++ticks) rest(1);
    demand(gate(slot).core.drained(), "P5 a drain does not end");
    world.kill(gate_pid(slot));
    world.start(kGates, slot);
    world.bus().wait_until_ready();
    rest(2);
  }
  void give_to(std::uint32_t slot) { gate_of(c1()).give(c1().session, gate_pid(slot)); }
  /// Others come when they are told to: a login of another device would mend what is broken.
  void alone() {
    world.leavers = false;
    for (const auto& client : world.clients) client->told = !client->session;
  }
  static void demand(bool good, const std::string& what) {
    if (!good) Oracle::bad(what);
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
