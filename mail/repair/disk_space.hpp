/// Error texts for a full disk: how much is free, how much is needed, and what to do. A copy that
/// will not fit fails before it begins. Pure but for the file system's numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "storage/store.hpp"

namespace starbus::mail {

/// A copy that is to be made, and the room that it takes.
struct SpaceNeed {
  std::filesystem::path path{};  // that is written, there or not yet
  std::uint64_t bytes = 0;       // at least; 0: nobody knows
  std::string otherwise{};       // than to make room: "give a folder on another disk"
};

/// store_full, with such a text.
storage::Error full_disk(const SpaceNeed& need);
/// Returns that error if less than `bytes` is free. If the file system does not report free space,
/// tries anyway.
storage::Result<> check_space(const SpaceNeed& need);
/// The error itself; with such a text if the disk was full.
storage::Error explain(const storage::Error& error, const SpaceNeed& need);
/// The same for an errno.
storage::Error explain(const std::filesystem::path& file, int error, const SpaceNeed& need);

/// Bytes of bodies in all shards, by the shards' rows. Skips unreadable rows.
std::uint64_t bytes_of_bodies(const storage::Snapshot& snapshot);

}  // namespace starbus::mail
