/// What bustop shows of an entity.
#include "tools/bustop/manager_view.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace starbus::bustop {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EntityView, SaysHowBusyItKeepsItsLoop) {
  nlohmann::ordered_json ox = {{"type", "ox"}, {"persistent_id", "ben"}, {"state", "alive"}};
  EXPECT_THAT(render_entity(ox, Look{}), HasSubstr("busy     - ms of each second of its loop\n"))
      << "an older release does not say";
  ox["busy_ms_per_s"] = 12.5;
  EXPECT_THAT(render_entity(ox, Look{}),
              HasSubstr("busy     12.5 ms of each second of its loop\n"));
}

TEST(EntityView, ShowsStepsAndStateMachines) {
  const nlohmann::ordered_json entity = {
      {"type", "goat"},
      {"state", "alive"},
      {"steps", {{{"step", "chew"}, {"due_in_ms", 20.0}, {"every_ms", nullptr}}}},
      {"machines",
       {{{"machine", "day"},
         {"state", "awake"},
         {"in_state_ms", 3.0},
         {"deadline_in_ms", 7.0},
         {"ignored", 2}},
        {{"machine", "hunger"}, {"state", ""}, {"deadline_in_ms", nullptr}, {"ignored", 0}}}},
      {"machines_left_out", 4}};
  const std::string text = render_entity(entity, {});
  EXPECT_THAT(text, HasSubstr("entity   goat"));
  EXPECT_THAT(text, HasSubstr("step     chew in 20.0 ms\n"));
  EXPECT_THAT(text, HasSubstr("machine  day: awake for 3.0 ms, deadline in 7.0 ms, 2 events "));
  EXPECT_THAT(text, HasSubstr("machine  hunger: does not run, 0 events ignored\n"));
  EXPECT_THAT(text, HasSubstr("machine  and 4 more\n"));
  EXPECT_THAT(text, HasSubstr("no properties\n"));
  EXPECT_THAT(render_entity(nlohmann::ordered_json{{"type", "cow"}}, {}),
              Not(HasSubstr("machine")));
}

}  // namespace
}  // namespace starbus::bustop
