/// Crowds over navmeshes: walkers come where they are sent, and never leave the ground.
#include <gtest/gtest.h>

#include <vector>

#include "nav/crowd/crowd.hpp"
#include "tests/nav/mesh/world.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::mesh::test {
namespace {

TEST(MeshCrowds, WalkersArriveAndStayOnTheGround) {
  const auto ground = ground_of(rooms(3, 4, 3));
  const AgentId agent = *ground->add_agent({});
  auto walkers = *crowd::Crowd::create(*ground, {});
  std::size_t sent = 0;
  for (std::uint64_t i = 0; i < 24; ++i) {
    const Place from = *ground->random_point(agent, i);
    const Place to = *ground->random_point(agent, i + 1'000);
    if (!ground->reachable(from, to, agent)) continue;
    const auto id = walkers->add({.agent = agent, .radius = 0.4F, .speed = 4}, from);
    ASSERT_TRUE(id);
    ASSERT_TRUE(walkers->go_to(*id, to, {.version = static_cast<std::uint32_t>(i), .distance = 1}));
    ++sent;
  }
  EXPECT_GT(sent, 12u);
  std::vector<crowd::Report> reports;
  std::size_t arrived = 0;
  for (int step = 0; step < 1'200 && arrived < sent; ++step) {
    ASSERT_TRUE(walkers->step(0.1F));
    walkers->take_reports(reports);
    for (const crowd::Report& each : reports) {
      EXPECT_EQ(each.end, crowd::End::arrived) << "request " << each.version;
      ++arrived;
      ASSERT_TRUE(walkers->remove(each.walker));  // who stands in a door is in the way
    }
    for (const crowd::WalkerId id : walkers->moved()) {
      const auto state = walkers->state(id);
      if (!state) continue;
      EXPECT_TRUE(on_mesh(*ground, agent, state->place.point)) << "step " << step;
    }
  }
  EXPECT_EQ(arrived, sent);
}

}  // namespace
}  // namespace starbus::nav::mesh::test
