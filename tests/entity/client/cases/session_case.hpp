/// A scripted case of sessions, in several orders: the names are those of docs/design/sessions.md.
/// The programs that play them say on which bus (make_case_bus).
#pragma once

#include <gtest/gtest.h>

#include "tests/entity/client/sim/scene.hpp"

namespace starbus::entity::sessions::sim {

class SessionCase : public ::testing::TestWithParam<std::uint64_t>, protected Scene {
 protected:
  SessionCase() : Scene(GetParam()) {}
  void end() { ASSERT_NO_THROW(Scene::end()); }
};

}  // namespace starbus::entity::sessions::sim
