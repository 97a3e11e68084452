#include "mail/repair/disk_space.hpp"

#include <cerrno>
#include <optional>
#include <system_error>

#include "bus/core/wire/post_head.hpp"
#include "mail/rows.hpp"

namespace starbus::mail {
namespace {

/// On the disk of the path, or of the nearest folder above that is there.
std::optional<std::uint64_t> free_bytes(std::filesystem::path path) {
  std::error_code error;
  path = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(path, error) && path.has_relative_path()) {
    path = path.parent_path();
  }
  const auto space = std::filesystem::space(path, error);
  if (error) return std::nullopt;
  return space.available;
}

std::string in_units(std::uint64_t bytes, bool up) {
  const std::uint64_t unit = bytes < 10'000'000 ? 1'000 : 1'000'000;
  return std::to_string((bytes + (up ? unit - 1 : 0)) / unit) + (unit == 1'000 ? " kB" : " MB");
}

storage::Error full_disk(const SpaceNeed& need, std::optional<std::uint64_t> free) {
  std::string text = "the disk of " + need.path.string() + " is full";
  if (free) text += ": " + in_units(*free, false) + " are free";
  if (need.bytes != 0) text += ", and at least " + in_units(need.bytes, true) + " are needed";
  text += "; make room there";
  if (!need.otherwise.empty()) text += ", or " + need.otherwise;
  return {storage::Errc::store_full, std::move(text)};
}

}  // namespace

storage::Error full_disk(const SpaceNeed& need) {
  return full_disk(need, free_bytes(need.path));
}

storage::Result<> check_space(const SpaceNeed& need) {
  const auto free = free_bytes(need.path);
  if (!free || *free >= need.bytes) return {};
  return full_disk(need, free);
}

storage::Error explain(const storage::Error& error, const SpaceNeed& need) {
  return error == storage::Errc::store_full ? full_disk(need) : error;
}

storage::Error explain(const std::filesystem::path& file, int error, const SpaceNeed& need) {
  if (error == ENOSPC || error == EDQUOT) return full_disk(need);
  return {storage::Errc::io_error,
          file.string() + ": " + std::error_code(error, std::generic_category()).message()};
}

std::uint64_t bytes_of_bodies(const storage::Snapshot& snapshot) {
  std::uint64_t bytes = 0;
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    const auto stored = snapshot.get(shard_key(static_cast<std::uint8_t>(shard)));
    const auto row = stored && *stored ? decode_shard(**stored) : std::nullopt;
    if (row) bytes += row->totals.bytes;
  }
  return bytes;
}

}  // namespace starbus::mail
