/// What a bot does in a space: it says that it has loaded each scene, wanders about, and reports
/// its moves as the client of a person would. It checks that what it is told fits together.
///
/// Belongs to one loop, in its thread, and to a Player, whose client it asks.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "clients/cpp/client.hpp"
#include "clients/cpp/space/space.hpp"
#include "tools/bots/ground.hpp"
#include "tools/bots/state/agreement.hpp"
#include "tools/bots/state/memory.hpp"

namespace starbus::bots {

/// See above.
class Walker final : private game::SpaceEvents {
 public:
  /// `bot`: its number, which its ways follow from if the script says so.
  Walker(Ground& ground, std::uint64_t bot, const std::string& account, game::Client& client,
         Memory& memory);

  /// A full state has come.
  void restart();
  /// The names of the server have come. False: what has waited for them does not fit.
  bool learn(const game::ServerNames& names);
  /// Sight has come. False: it does not fit, and a full state is asked for.
  bool take(game::ByteView body);
  /// True: the call was of the space, and is done with.
  bool hear(const game::Call& call);
  /// Makes the move that is due. True: something was said.
  bool act(Nanos now);
  Nanos due() const { return walks_ ? step_at_ : kNever; }
  /// The nearest of that class within so many metres, and no further from the bot: its online id;
  /// 0: none.
  std::uint64_t near(const std::string& of, double reach);
  /// What it sees of the classes of [[state]].
  void look(std::vector<Sighting>& all) const;

 private:
  struct Step {
    float x = 0;  // where to
    float y = 0;
    float metres = 0;  // how far at most
  };
  static game::Locomotion step(const game::Locomotion& from, const Step& step);
  void on_scene(const game::Scene* scene) override;
  void on_entered(const game::Seen& seen) override;
  void on_changed(const game::Seen& seen, const game::Changed& changed) override;
  void on_left(const game::Seen& seen) override;
  void on_corrected(const game::Locomotion&, const game::Locomotion&, bool teleport) override;
  double chance();
  void choose_goal();
  void choose_portal();
  bool goes_toward();
  void check_moves();
  void check_travel(Nanos now);
  void note(std::string_view what, std::string_view detail = {});
  /// Its client goes on being told of it.
  struct Known {
    std::uint64_t id = 0;
    Nanos changed_at = 0;
    std::optional<double> speed{};  // m/s
    double credit = 0;              // ms
    std::optional<game::Locomotion> move{};
  };

  Ground& ground_;
  const std::uint64_t bot_;
  const std::string account_;
  Memory& memory_;
  game::Space<Step> space_;
  std::map<std::uint16_t, Known> known_;  // by index
  Nanos travel_at_ = kNever;              // when it goes to a portal
  bool goes_to_portal_ = false;
  Nanos in_portal_at_ = 0;  // 0: it is not in the one that it goes to
  game::Place middle_{};    // where it has come into the space: it stays around that
  game::Place goal_{};
  Nanos step_at_ = kNever;
  Nanos rests_until_ = 0;
  std::uint32_t draws_ = 0;  // of its goals
  bool walks_ = false;
};

}  // namespace starbus::bots
