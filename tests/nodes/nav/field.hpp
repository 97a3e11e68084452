/// Maps as files of a temporary folder, and batches, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "nodes/nav/messages.hpp"
#include "tests/nodes/test_loop.hpp"

namespace starbus::nodes::crowds::test {

/// A folder of maps, which ends with it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "starbus-maps-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string path() const { return path_.string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

 private:
  std::filesystem::path path_;
};

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
