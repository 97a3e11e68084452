/// What an operator is told of a disk that is full: how much is free there, how much is needed, and
/// what to do. Of a copy that will not fit it is told before it begins. Pure but for the file
/// system's numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

struct SpaceNeed {
  std::filesystem::path path{};  // that is written, there or not yet
  std::uint64_t bytes = 0;       // at least; 0: nobody knows
  std::string otherwise{};       // than to make room: "give a folder on another disk"
};

/// store_full, with all of that.
storage::Error full_disk(const SpaceNeed& need);
/// That error, if so much is not free. A disk that does not say is tried.
storage::Result<> check_space(const SpaceNeed& need);
/// The error itself, or, if a disk was full, what there is to say about that.
storage::Error explain(const storage::Error& error, const SpaceNeed& need);
/// Of an errno.
storage::Error explain(const std::filesystem::path& file, int error, const SpaceNeed& need);

/// Of bodies in all shards, as their rows say; those that cannot be read count for nothing.
std::uint64_t bytes_of_bodies(const storage::Snapshot& snapshot);

}  // namespace starbus::bus::busd::mail
