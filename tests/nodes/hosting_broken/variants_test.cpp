/// Each broken variant of a move is noticed by the model of moves; the same copy with no rule
/// broken is sound.
#include <array>

#include "tests/nodes/hosting/move_model.hpp"
#include "tests/nodes/hosting_broken/rules.hpp"

namespace starbus::nodes::entities {
namespace {

using bus::Task;
using entity::BrokenMove;

class BrokenMoves : public MoveModel, public ::testing::WithParamInterface<BrokenMove> {
 protected:
  BrokenMoves() { entity::broken_move = GetParam(); }
  ~BrokenMoves() override { entity::broken_move = BrokenMove::none; }
};

TEST_P(BrokenMoves, AreNoticed) {
  const bool sound = GetParam() == BrokenMove::none;
  run([this, sound]() -> Task {
    co_await play(sound ? 60 : 300);
    EXPECT_EQ(violation.empty(), sound) << violation;
  });
  RecordProperty("violation", violation);
}

std::string name_of_rule(const ::testing::TestParamInfo<BrokenMove>& rule) {
  static constexpr std::array kNames = {"None", "ActsWhileFrozen", "DropsMachines", "WakesTwice"};
  return kNames.at(static_cast<std::size_t>(rule.param));
}

INSTANTIATE_TEST_SUITE_P(Rules, BrokenMoves,
                         ::testing::Values(BrokenMove::none, BrokenMove::acts_while_frozen,
                                           BrokenMove::drops_machines, BrokenMove::wakes_twice),
                         name_of_rule);

}  // namespace
}  // namespace starbus::nodes::entities
