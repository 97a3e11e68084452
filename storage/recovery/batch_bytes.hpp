/// A write in LevelDB's log: the sequence number of its first operation (8 bytes, little-endian),
/// their count (4), then each: 0 and an erased key, or 1, a key and a value; each with its length
/// in front. Pure; accepts any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::storage {

/// The first 12 bytes of a write.
struct BatchHead {
  std::uint64_t sequence = 0;  // of its first operation; the next write goes on after its last
  std::uint32_t count = 0;
};
/// One operation of a write; views into its bytes.
struct BatchEntry {
  bool put = false;
  std::string_view key;
  std::string_view value;  // sealed
};

/// Calls `visit` for each entry until one is malformed. Returns nullopt if the batch is truncated.
std::optional<BatchHead> read_batch(std::string_view bytes,
                                    const std::function<void(const BatchEntry&)>& visit = {});

/// Whether the batch is whole and the checksum of each value is right.
bool is_sound_batch(std::string_view bytes);

}  // namespace starbus::storage
