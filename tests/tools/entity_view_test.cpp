/// One entity, as bustop shows it to people.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tools/bustop/manager_view.hpp"

namespace starbus::bustop {
namespace {

using ::testing::HasSubstr;

TEST(EntityView, SaysHowBusyItKeepsItsLoop) {
  nlohmann::ordered_json ox = {{"type", "ox"}, {"persistent_id", "ben"}, {"state", "alive"}};
  EXPECT_THAT(render_entity(ox, Look{}), HasSubstr("busy     - ms of each second of its loop\n"))
      << "an older release does not say";
  ox["busy_ms_per_s"] = 12.5;
  EXPECT_THAT(render_entity(ox, Look{}),
              HasSubstr("busy     12.5 ms of each second of its loop\n"));
}

}  // namespace
}  // namespace starbus::bustop
