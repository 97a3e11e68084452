// An entity that leaves a copy behind, and comes back in the place of that.
#include "tests/entity/objects/walker.hpp"

namespace starbus::entity::objects_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace std::chrono_literals;

class Ghosts : public Walkers {
 protected:
  /// It moves to the other process, and stays here as a ghost.
  Ghosts() {
    EXPECT_TRUE(walker->run_later<&Walker::pay>({.first = 15s}, 9));
    const Bytes bytes = here.freeze(*walker, {.target = "b.y"}).value();
    real = arrive(there, bytes);
    real->state.watch(Audience::ghost);
    events.take();
    EXPECT_TRUE(here.become_ghost(*walker));
  }
  /// What watchers of the kind `ghost` get.
  void sync() {
    Bytes all;
    EXPECT_TRUE(real->state.encode_snapshot(View::ghost, all));
    EXPECT_TRUE(walker->state.apply_snapshot(all));
  }
  Walker* real = nullptr;
};

TEST_F(Ghosts, ACopyStaysInItsPlaceAndDoesNothing) {
  EXPECT_THAT(events.take(), ElementsAre("ghost", "cloak ghost")) << "and has left no space";
  const OnlineId id = walker->online_id();
  EXPECT_EQ(walker->life(), EntityState::ghost_copy);
  EXPECT_EQ(walker->space(), OnlineId{5});
  EXPECT_EQ(here.find(id), nullptr);
  EXPECT_EQ(here.find_here(id), nullptr);
  EXPECT_EQ(here.find_ghost(id), walker);
  EXPECT_EQ(there.find_ghost(id), nullptr);
  EXPECT_FALSE(here.leave_space(*walker));
  EXPECT_THROW(walker->state.gold = 1, BadData);
  EXPECT_EQ(walker->run_later<&Walker::pay>({.first = 1s}, 1).error(), EntityErrc::not_alive);
  sync();
  real->state.gold = 8;
  ASSERT_TRUE(real->state.flush([&](Audience audience, ByteView delta) {
    EXPECT_EQ(audience, Audience::ghost);
    EXPECT_TRUE(walker->state.apply_delta(delta));
  }));
  EXPECT_EQ(walker->state.gold, 8);
  pass(1min);
  EXPECT_EQ(std::ranges::count(events.take(), "pay 9"), 1) << "where it lives";
  walker->destroy();
  settle(here);
  EXPECT_THAT(events.take(), Not(Contains("-strolling"))) << "its machines run elsewhere";
}

TEST_F(Ghosts, WhatComesBackTakesThePlaceOfItsCopy) {
  sync();
  pass(10s);
  real->state.gold = 20;
  events.take();
  const Bytes bytes = there.freeze(*real, {.target = "a.x"}).value();
  const OnlineId id = here.prepare_moved(bytes).value();
  EXPECT_EQ(here.find_prepared(id), walker) << "no other object";
  EXPECT_THAT(events.take(), ElementsAre("before a.x 5 same", "came for 5"));
  pass(1h);
  EXPECT_THAT(events.take(), IsEmpty()) << "it is not owned here yet";
  EXPECT_EQ(here.activate_moved(id).value(), walker);
  EXPECT_THAT(events.take(), ElementsAre("cloak real", "real")) << "it was in its space all along";
  real->destroy(EndReason::moved);
  EXPECT_EQ(here.find(id), walker);
  EXPECT_EQ(walker->state.gold, 20);
  EXPECT_EQ(walker->state.steps, 3);
  EXPECT_EQ(walker->start_reason(), StartReason::arrived);
  EXPECT_EQ(walker->rpc_components().size(), 1U);
  events.take();
  pass(0s);
  EXPECT_EQ(std::ranges::count(events.log, "pay 9"), 1) << "its steps have come back with it";
  pass(10s);
  EXPECT_THAT(events.take(), Contains("round 2")) << "and its machine";
  walker->state.gold = 21;
  EXPECT_TRUE(here.leave_space(*walker));
}

TEST_F(Ghosts, AnAbandonedReturnLeavesTheCopy) {
  sync();
  const Bytes bytes = there.freeze(*real, {.target = "a.x"}).value();
  const OnlineId id = here.prepare_moved(bytes).value();
  ASSERT_TRUE(here.abandon_moved(id));
  EXPECT_EQ(here.find_ghost(id), walker);
  events.fail("came for 5");
  EXPECT_EQ(here.prepare_moved(bytes).error(), EntityErrc::init_failed);
  EXPECT_EQ(here.find_ghost(id), walker);
  ASSERT_TRUE(there.thaw(*real));
  events.take();
  sync();
  EXPECT_EQ(walker->state.gold, 7);
  pass(1min);
  EXPECT_EQ(std::ranges::count(events.take(), "pay 9"), 1) << "where it has stayed";
}

TEST_F(Ghosts, AReturnIntoAnotherSpaceLeavesTheOldOne) {
  const Bytes bytes = there.freeze(*real, {.target = "a.x", .space = OnlineId{6}}).value();
  events.take();
  ASSERT_TRUE(here.create_moved(bytes));
  EXPECT_THAT(events.take(),
              ElementsAre("came for 6", "cloak real", "real", "leave 5 left", "enter 6 arrived"));
  EXPECT_EQ(walker->state.steps, 0);
}

}  // namespace
}  // namespace starbus::entity::objects_test
