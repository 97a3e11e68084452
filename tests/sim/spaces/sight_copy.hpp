/// What a client believes of those around its player, from the bodies of sight alone. Each demand
/// of the contract (docs/guide/sight.md) that a body breaks is told to the oracle. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "nodes/space/sight/sight_wire.hpp"
#include "tests/sim/spaces/hero.hpp"

namespace starbus::sim {

class SightCopy {
 public:
  struct Seen {
    std::uint64_t id = 0;  // the online id
    HeroState state;
    std::optional<nodes::movement::Position> place;
  };
  SightCopy(SpacesOracle& oracle, std::string who) : oracle_(oracle), who_(std::move(who)) {}

  /// No player is played: nothing is known.
  void forget();
  /// A full state. Scenes count on as long as the player lives.
  void restart(std::int64_t life);
  void take(bus::ByteView body);
  /// It has asked for what is in the present scene.
  void ready() { ready_ = true; }

  const std::map<std::uint16_t, std::unique_ptr<Seen>>& seen() const { return seen_; }
  /// Null: not in sight.
  const Seen* find(entity::OnlineId id) const;
  const std::string& space() const { return space_; }

 private:
  void on(const sight::Scene& scene);
  void on(const sight::Enter& enter);
  void on(const sight::Leave& leave);
  void on(const sight::News& news);
  void moves(bus::ByteView bytes);
  void demand(bool holds, const std::string& what) { oracle_.demand(holds, who_ + ": " + what); }

  SpacesOracle& oracle_;
  const std::string who_;
  bool has_scene_ = false;
  bool ready_ = false;
  std::int64_t life_ = 0;
  std::uint32_t number_ = 0;
  std::string space_;
  sight::MoveGrid grid_;
  std::map<std::uint16_t, std::unique_ptr<Seen>> seen_;
};

}  // namespace starbus::sim
