/// Maps as files of a temporary folder, and batches, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "nodes/nav/messages.hpp"
#include "tests/daemon/support.hpp"
#include "tests/nodes/test_loop.hpp"

namespace starbus::nodes::crowds::test {

using daemon::test::TempFolder;

/// A square without walls, as text, of so many metres a side.
inline std::string square(std::size_t side) {
  std::string text;
  for (std::size_t y = 0; y < side; ++y) text.append(side, '.').append(1, '\n');
  return text;
}

inline CrowdSpec spec(const std::string& map = "field.txt", std::uint32_t walkers = 16) {
  CrowdSpec spec;
  spec.map = map;
  spec.kinds = {{.name = "small", .radius = 0, .closed = {}}};
  spec.walkers = walkers;
  return spec;
}

inline WalkerName name(std::uint32_t slot, std::uint32_t generation = 1) {
  return {slot, generation};
}
inline Request add(std::uint32_t slot, float x, float y, std::uint32_t version = 0) {
  Add add;
  add.walker = name(slot);
  add.version = version;
  add.at = {x, y, 0};
  return add;
}
inline Request go(std::uint32_t slot, std::uint32_t version, float x, float y) {
  GoTo go;
  go.walker = name(slot);
  go.version = version;
  go.goal = {x, y, 0};
  return go;
}

}  // namespace starbus::nodes::crowds::test
