/// The checked-in bytes of tests/bus/vectors: text, '#' begins a comment line, the rest is hex.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/hex.hpp"
#include "bus/core/bytes.hpp"
#include "tests/places.hpp"

namespace starbus::bus {

inline Bytes golden_bytes(const std::string& name) {
  std::ifstream file(source_file("tests/bus/vectors/" + name + ".hex"));
  EXPECT_TRUE(file) << name;
  Bytes bytes;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    for (std::size_t at = 0; at + 1 < line.size(); at += 3) {
      bytes.push_back(static_cast<std::byte>(std::stoi(line.substr(at, 2), nullptr, 16)));
    }
  }
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

/// So that a failure shows the bytes.
inline std::string hex_of(ByteView bytes) {
  return starbus::hex_of(as_text(bytes));
}

}  // namespace starbus::bus
