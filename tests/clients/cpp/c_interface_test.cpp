// The interface in C, used by a program that is compiled as C11 (c_program.c).
#include <gtest/gtest.h>

#include "tests/clients/cpp/loop_gate.hpp"

extern "C" int c_program(const char* address, void (*serve)(void*), void* gate);

namespace starbus::game {
namespace {

TEST(GameInC, AProgramLogsInAsksAndLeaves) {
  mini::LoopGate gate;
  const auto serve = [](void* it) { static_cast<mini::LoopGate*>(it)->service(); };
  EXPECT_EQ(c_program(gate.address().c_str(), serve, &gate), 0);
  EXPECT_EQ(gate.gate.byes(), 1);
}

}  // namespace
}  // namespace starbus::game
