/// The state that travels with an observer that migrates to another process: the targets that its
/// client knows, with their indices; and the batch for the client after the arrival. Both have a
/// form in bytes.
/// Bytes from another process are checked like hostile input. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aoi/error.hpp"
#include "aoi/types.hpp"

namespace starbus::aoi {

/// Made by World::export_state, used by World::import_state.
struct ObserverState {
  struct Target {
    /// EntityOptions::key. 0: the target has none, and the client hears that it is gone.
    std::uint64_t key = 0;
    /// The client's index of it; 0: it was forced since the last update, and the client knows
    /// nothing.
    std::uint16_t index = 0;
    bool forced = false;
    friend bool operator==(const Target&, const Target&) = default;
  };
  std::uint32_t epoch = 0;      ///< of the client's numbering; see wire.hpp
  std::vector<Target> targets;  ///< by key, each once; those without a key come first
  friend bool operator==(const ObserverState&, const ObserverState&) = default;
};

std::string encode(const ObserverState& state);
/// corrupt, newer_format. check() accepts every decoded state.
Result<ObserverState> decode_observer_state(std::string_view bytes);
/// corrupt: keys out of order or duplicate; indices that are duplicate, or 0 without a force; too
/// many targets; an epoch with no successor.
Result<> check(const ObserverState& state);

/// A change of a client's numbering, all at once: the targets of `kept` have a new index (which may
/// be the same); those of `gone` are not here, and have left under their old index. The client
/// applies the whole batch before anything with new indices, because old and new indices must not
/// be mixed.
struct ReindexBatch {
  struct Kept {
    std::uint16_t from = 0;
    std::uint16_t to = 0;
    friend bool operator==(const Kept&, const Kept&) = default;
  };
  std::vector<Kept> kept;
  std::vector<std::uint16_t> gone;
  friend bool operator==(const ReindexBatch&, const ReindexBatch&) = default;
};

}  // namespace starbus::aoi
