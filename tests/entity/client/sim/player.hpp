/// A player entity of the simulated world: the product's link, and a little game, between the
/// borders where rules are broken. One thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/entity/client/sim/oracle.hpp"

namespace starbus::entity::sessions::sim {

class World;

class Player {
 public:
  /// With what is saved.
  Player(World& world, std::string name, const Pid& pid);
  /// All that travels, and where it has been.
  bus::Bytes freeze();
  void adopt(const bus::Bytes& moved);
  void owned(std::uint64_t epoch);
  void thaw(std::uint64_t epoch);
  void rolled_back(std::uint64_t epoch);
  Answer take(ToSubject word, const Sender& from);
  void act();
  /// To the request that has waited longest.
  void reply();
  void tick();
  void gate_died(const Pid& gate);
  void flush();
  /// Of a copy that does not know that it is frozen.
  void speak_frozen();
  std::string account() const { return account_of(name); }

  std::string name;
  Pid pid;
  ClientLink link;
  std::uint64_t value = 0;
  bool dirty = false;
  bool replies_late = false;                                  // a scripted case says when
  std::vector<std::pair<std::uint64_t, std::uint64_t>> late;  // (login, u): replies to come

 private:
  void apply(Effects& effects);
  void begin(const Effects::Begin& request);
  void tell(const Effects::ForAccount& word);
  void reply_late(Effects& out);
  void tell_news(Effects& out);
  void update(Effects& out);
  bool say(const GateId& gate, const Section& section);
  void check_taken(const ToSubject& word, const Answer& answer, const LinkState& before,
                   const Effects& effects);
  World& world_;
};

}  // namespace starbus::entity::sessions::sim
