/// What a bot does in a space: it says that it has loaded each scene, wanders about, and reports
/// its moves as the client of a person would. It checks that what it is told fits together.
///
/// Belongs to one loop, in its thread, and to a Player, whose client it asks.
#pragma once

#include "clients/cpp/client.hpp"
#include "clients/cpp/space/space.hpp"
#include "tools/bots/ground.hpp"

namespace starbus::bots {

/// See above.
class Walker final : private game::SpaceEvents {
 public:
  /// `bot`: its number, which its ways follow from if the script says so.
  Walker(Ground& ground, std::uint64_t bot, game::Client& client);

  /// A full state has come.
  void restart() { space_.restart(false); }
  /// Sight has come. False: it does not fit, and a full state is asked for.
  bool take(game::ByteView body);
  /// True: the call was of the space, and is done with.
  bool hear(const game::Call& call);
  /// Makes the move that is due. True: something was said.
  bool act(Nanos now);
  Nanos due() const { return walks_ ? step_at_ : kNever; }

 private:
  struct Step {
    float x = 0;  // where to
    float y = 0;
    float metres = 0;  // how far at most
  };
  static game::Locomotion step(const game::Locomotion& from, const Step& step);
  void on_scene(const game::Scene* scene) override;
  void on_entered(const game::Seen&) override { ++ground_.figures.sight.entered; }
  void on_left(const game::Seen&) override { ++ground_.figures.sight.left; }
  void on_corrected(const game::Locomotion&, const game::Locomotion&, bool teleport) override;
  double chance();
  void choose_goal();

  Ground& ground_;
  const std::uint64_t bot_;
  game::Space<Step> space_;
  game::Place middle_{};  // where it has come into the space: it stays around that
  game::Place goal_{};
  Nanos step_at_ = kNever;
  Nanos rests_until_ = 0;
  std::uint32_t draws_ = 0;  // of its goals
  bool walks_ = false;
};

}  // namespace starbus::bots
