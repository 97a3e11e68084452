/// What travels with an observer that migrates to another process: what its client knows, under
/// which indices. And what the client is told when it has arrived. Both have a form in bytes; what
/// comes from another process is checked like hostile input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aoi/error.hpp"
#include "aoi/types.hpp"

namespace starbus::aoi {

/// World::export_state makes it, World::import_state takes it.
struct ObserverState {
  struct Target {
    /// EntityOptions::key; of those without one (0) the client is told that they are gone.
    std::uint64_t key = 0;
    std::uint16_t index = 0;  ///< under which the client knows it
    bool forced = false;
    friend bool operator==(const Target&, const Target&) = default;
  };
  std::uint32_t epoch = 0;      ///< of the numbering that the client has; see wire.hpp
  std::vector<Target> targets;  ///< by key, each once; those without one first
  friend bool operator==(const ObserverState&, const ObserverState&) = default;
};

std::string encode(const ObserverState& state);
/// corrupt, newer_format. What it gives, check() accepts.
Result<ObserverState> decode_observer_state(std::string_view bytes);
/// corrupt: keys that are out of order or double; indices that are 0 or double; too many; an epoch
/// that none can follow.
Result<> check(const ObserverState& state);

/// What changes in a client's numbering, all at once: those of `kept` have a new index (also the
/// same), those of `gone` are not here: they left under their old index. Old and new indices are
/// not to be mixed: the client takes the whole batch, and only then anything with new indices.
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
