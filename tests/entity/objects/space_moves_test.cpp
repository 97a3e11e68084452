// Entities that move while they are in a space: into the same one, another one, and back.
#include "tests/entity/objects/walker.hpp"

namespace starbus::entity::objects_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class SpaceMoves : public Walkers {};

TEST_F(SpaceMoves, WithinASpaceNobodyLeavesBeforeItHasArrived) {
  walker->state.seen = 4;
  const Bytes bytes = here.freeze(*walker, {.target = "b.y"}).value();
  EXPECT_THAT(events.take(), ElementsAre("before b.y 5 same"));
  EXPECT_EQ(walker->space(), OnlineId{5});
  EXPECT_FALSE(here.leave_space(*walker)) << "it is frozen, and stays where it is";
  EXPECT_EQ(here.enter_space(*walker, OnlineId{6}).error(), EntityErrc::not_alive);

  Walker* const arrived = arrive(there, bytes);
  EXPECT_THAT(events.take(), ElementsAre("walker made", "walker init", "came for 5",
                                         "walker activate", "enter 5 continued"));
  EXPECT_EQ(arrived->space(), OnlineId{5});
  EXPECT_EQ(arrived->state.steps, 3) << "per_space: it is the same space";
  EXPECT_EQ(arrived->state.seen, 0) << "per_process";
  EXPECT_EQ(arrived->move_plan(), nullptr);

  walker->destroy(EndReason::moved);
  settle(here);
  EXPECT_THAT(events.take(), ElementsAre("leave 5 moved", "walker deactivate moved", "walker final",
                                         "walker gone"));
}

TEST_F(SpaceMoves, IntoAnotherSpaceItBeginsAnewThere) {
  for (const MovedForm form : {MovedForm::snapshot, MovedForm::by_name}) {
    const Bytes bytes =
        here.freeze(*walker, {.form = form, .target = "b.y", .space = OnlineId{6}}).value();
    EXPECT_THAT(events.take(), ElementsAre("before b.y 6 new"));
    Walker* const arrived = arrive(there, bytes);
    EXPECT_THAT(events.take(), Contains("enter 6 arrived"));
    EXPECT_EQ(arrived->space(), OnlineId{6});
    EXPECT_EQ(arrived->state.steps, 0);
    EXPECT_EQ(arrived->state.gold, 7);
    EXPECT_EQ(walker->state.steps, 3) << "the source is as it was";
    ASSERT_TRUE(here.thaw(*walker));
    arrived->destroy();
    settle(there);
    events.take();
  }
  const Bytes bytes = here.freeze(*walker, {.space = OnlineId::none}).value();
  EXPECT_EQ(arrive(there, bytes)->space(), OnlineId::none);
}

TEST_F(SpaceMoves, GivenUpItIsInItsSpaceAsIfNothingHadHappened) {
  ASSERT_TRUE(here.freeze(*walker, {.target = "b.y", .space = OnlineId{6}}));
  ASSERT_TRUE(here.thaw(*walker));
  EXPECT_THAT(events.take(), ElementsAre("before b.y 6 new", "returned"));
  EXPECT_EQ(walker->space(), OnlineId{5});
  EXPECT_EQ(walker->state.steps, 3);
  EXPECT_TRUE(here.leave_space(*walker));
  EXPECT_THAT(events.take(), ElementsAre("leave 5 left"));
  EXPECT_EQ(walker->state.steps, 0);
}

TEST_F(SpaceMoves, ARefusedEntryCountsAsAFailedActivation) {
  const Bytes bytes = here.freeze(*walker).value();
  events.fail("enter 5 continued");
  EXPECT_EQ(there.create_moved(bytes).error(), EntityErrc::init_failed);
  EXPECT_EQ(there.size(), 0U);
  EXPECT_THAT(events.take(), Contains("walker deactivate destroyed").Times(1));
  EXPECT_EQ(walker->space(), OnlineId{5});
}

TEST_F(SpaceMoves, AHookMayNotChangeTheSpaceWhileItIsPacked) {
  events.at["before  5 same"] = [this]() -> EntityResult<> {
    EXPECT_TRUE(here.leave_space(*walker));
    return {};
  };
  const auto refused = here.freeze(*walker);
  EXPECT_EQ(refused.error(), EntityErrc::not_movable);
  EXPECT_THAT(refused.error().detail, HasSubstr("has changed its space"));
  EXPECT_EQ(walker->life(), EntityState::alive);
  events.at["enter 6 entered"] = [this]() -> EntityResult<> {
    EXPECT_EQ(here.freeze(*walker).error(), EntityErrc::not_alive) << "it is still entering";
    return {};
  };
  EXPECT_TRUE(here.enter_space(*walker, OnlineId{6}));
}

}  // namespace
}  // namespace starbus::entity::objects_test
