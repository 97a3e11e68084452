/// A write as it lies in LevelDB's log: its place among all writes (8 bytes, little-endian), how
/// many operations (4), then each: 0 and a key that is erased, or 1, a key and a value; key and
/// value behind their lengths. Pure; for any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::storage {

struct BatchHead {
  std::uint64_t sequence = 0;  // of its first operation; the next write goes on behind its last
  std::uint32_t count = 0;
};
struct BatchEntry {
  bool put = false;
  std::string_view key;
  std::string_view value;  // sealed
};

/// Calls `visit` with what stands there, up to the first that is none. No value: it is not whole.
std::optional<BatchHead> read_batch(std::string_view bytes,
                                    const std::function<void(const BatchEntry&)>& visit = {});

/// Whether it is whole and each value of it is what was put.
bool is_sound_batch(std::string_view bytes);

}  // namespace starbus::storage
