/// What every fuzz target includes: the entry point that libFuzzer and standalone_main.cpp call,
/// and a check that stops either.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "bus/core/bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace starbus::bus {

inline void require(bool promise) {
  if (!promise) std::abort();
}

inline ByteView fuzz_input(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

}  // namespace starbus::bus
