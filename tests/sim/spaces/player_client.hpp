/// The program of somebody who plays: the session and the space of clients/cpp over the connections
/// of GateNode. It logs in, plays its one hero, walks, asks, loses its connection, leaves and comes
/// back; and holds what it is told against the contract. One thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clients/cpp/space/space.hpp"
#include "tests/sim/spaces/gate_node.hpp"
#include "tests/sim/spaces/hero.hpp"
#include "tests/sim/spaces/sight_copy.hpp"

namespace starbus::sim {

namespace game = starbus::game;

class PlayerClient final : private game::Events, private game::SpaceEvents, public Device {
 public:
  struct Step {
    float x = 0, y = 0;  // m
  };
  PlayerClient(Scene& scene, std::string account, std::vector<GateNode*> gates);
  ~PlayerClient();
  PlayerClient(const PlayerClient&) = delete;
  PlayerClient& operator=(const PlayerClient&) = delete;

  /// Comes, and comes again whenever its session is over.
  void play();
  /// It is to do nothing more but to stay.
  void rest() { rests_ = true; }
  const std::string& account() const { return account_; }
  /// "p0.1" of "p0": its hero.
  std::string hero() const { return account_ + ".1"; }

  // --- what it does ---
  void walk(const Step& step);
  void buy();
  void cut();
  /// Leaves its hero, or the whole game; it comes back later.
  void log_out();
  void bye();

  // --- how it is ---
  bool plays() const {
    return session_.state() == game::State::online && subject_ == "player/" + hero();
  }
  bool idle() const { return session_.requests_open() == 0; }
  /// Null: it plays no hero.
  const HeroState* state() const { return state_ ? &*state_ : nullptr; }
  const SightCopy& sight() const { return sight_; }
  const game::Scene* scene() const { return space_.scene(); }
  std::string describe() const;
  /// Full states under the bind of the one before: only deaths, and long faults, may need them.
  std::uint64_t fulls_again() const { return fulls_again_; }

  // Device
  void received(bus::ByteView frame) override;
  void cut_off() override;

 private:
  game::Time now() const;
  void pump();
  void dial(const std::string& address);
  void look();
  void choose();
  /// False: it was not taken, and nothing will be told.
  template <auto M, class... A>
  bool ask(game::Told told, const A&... arguments);
  void choose_again();
  void say_ready();
  template <class Words>
  void note(Words&& words) {
    scene_.world.note(account_, words);
  }
  void demand(bool holds, const std::string& what) {
    scene_.oracle.demand(holds, account_ + ": " + what);
  }

  // game::Events
  void on_online(bool goes_on, const game::Ticket&) override;
  void on_full(const game::FullState& full) override;
  void on_call(const game::Call& call) override;
  void on_news(game::ByteView news) override;
  void on_sight(game::ByteView body) override;
  void on_over(const game::Over& over) override;
  void on_ended(game::EndReason why, std::string_view text) override;
  // game::SpaceEvents
  void on_scene(const game::Scene* scene) override;

  Scene& scene_;
  const std::string account_;
  const std::vector<GateNode*> gates_;
  game::Session session_;
  game::Space<Step> space_;
  SightCopy sight_;
  std::shared_ptr<Wire> wire_;
  std::uint64_t dials_ = 0;
  bool pumping_ = false;
  bool rests_ = false;
  bool made_ = false;  // its hero, in this lobby
  std::string subject_;
  std::optional<HeroState> state_;
  game::Bind bind_{};  // of the latest full state
  std::uint64_t fulls_again_ = 0;
  std::optional<std::uint32_t> ready_;  // for the scene of this number
  std::optional<std::uint64_t> told_;   // the latest number that its hero has told in this stretch
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::sim
