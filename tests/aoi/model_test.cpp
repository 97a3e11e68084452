/// A world beside the model, which was written from the documentation alone.
#include <gtest/gtest.h>

#include "tests/aoi/model.hpp"
#include "tests/aoi/script.hpp"

namespace starbus::aoi::test {
namespace {

void compare(const Taste& taste, Backend backend) {
  const auto script = *rc::gen::resize(400, scripts(taste));
  WorldOptions of;
  of.backend = backend;
  of.bounds = {{0, 0, 0}, {100, 100, 0}};
  of.reach = 20;
  of.quarantine = 2;
  Model model;
  Player player(of, taste);
  player.mirror_to(&model);
  for (const Step& step : script) {
    player.play(step);
    if (step.what != Do::update) continue;
    std::vector<Event> reported = player.last_events();
    for (Event& event : reported) event.index = 0;  // the model gives none
    demand(reported == model.update(), "the world is not what the page says");
  }
}

TEST(Model, AgreesWithTheGrid) {
  EXPECT_TRUE(rc::check("grid", [] { compare({}, Backend::grid); }));
}

TEST(Model, AgreesWithTheCrossList) {
  EXPECT_TRUE(rc::check("cross list", [] { compare({}, Backend::cross_list); }));
}

TEST(Model, AgreesInACrowd) {
  Taste taste;
  taste.size = 20;
  EXPECT_TRUE(rc::check("crowd", [&] { compare(taste, Backend::hashed_grid); }));
}

}  // namespace
}  // namespace starbus::aoi::test
