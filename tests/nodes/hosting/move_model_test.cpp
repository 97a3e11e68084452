/// Random moves of busy entities: see the model. 10,000 moves with scripts/test --long.
#include "tests/nodes/hosting/move_model.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::entities {
namespace {

using bus::Task;
using namespace std::chrono_literals;

class RandomMoves : public MoveModel {};

TEST_F(RandomMoves, GoldIsConstantAndEachJobAndQuestionEndsOnce) {
  const int moves = long_runs() ? 10'000 : 300;
  run(
      [this, moves]() -> Task {
        co_await play(moves);
        EXPECT_EQ(violation, "");
        EXPECT_GT(outcomes["moved"], moves / 4);
        EXPECT_GT(outcomes["move_refused"], 0);
        EXPECT_GT(outcomes["busy"], 0);
      },
      long_runs() ? 1'200s : 110s);
}

}  // namespace
}  // namespace starbus::nodes::entities
