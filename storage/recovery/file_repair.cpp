#include "storage/recovery/file_repair.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "storage/check/file_names.hpp"
#include "storage/leveldb/leveldb_status.hpp"
#include "storage/limits.hpp"
#include "storage/recovery/log_file.hpp"

namespace starbus::storage {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCurrent = "CURRENT";
std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::uint64_t size = entry.is_regular_file(error) ? entry.file_size(error) : 0;
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

std::vector<std::string> FileRepair::names() const {
  std::vector<std::string> names;
  (void)env_.GetChildren(folder_, &names);
  return names;
}

/// io_error; with `leave_unreadable_out`, unreadable parts are zeros.
Result<std::string> FileRepair::read(const std::string& name, bool leave_unreadable_out) {
  std::string bytes;
  const leveldb::Status status = leveldb::ReadFileToString(&env_, path(name), &bytes);
  if (status.ok()) return bytes;
  std::uint64_t size = 0;
  leveldb::RandomAccessFile* opened = nullptr;
  const bool may = leave_unreadable_out && env_.GetFileSize(path(name), &size).ok() &&
                   env_.NewRandomAccessFile(path(name), &opened).ok();
  const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
  if (!may) return Error(Errc::io_error, status.ToString());
  bytes.assign(size, '\0');
  std::string piece(kBlockSize, '\0');
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    leveldb::Slice got;
    if (!file->Read(at, std::min(kBlockSize, size - at), &got, piece.data()).ok()) continue;
    bytes.replace(at, got.size(), got.data(), got.size());
  }
  return bytes;
}

/// Links the file into lost/, so that it survives its replacement. Returns why that failed, or "".
std::string FileRepair::keep_aside(const std::string& name) {
  const fs::path lost = fs::path(folder_) / "lost";
  std::error_code error;
  fs::create_directory(lost, error);
  if (bytes_in(lost) > kLostFiles) return "; the original was not kept: lost/ is full";
  fs::remove(lost / name, error);  // of an attempt that was cut off
  fs::create_hard_link(path(name), lost / name, error);
  if (error) fs::copy_file(path(name), lost / name, error);
  if (error) return "; the original could not be kept: " + error.message();
  (void)env_.disk().sync_folder(lost.string());
  return {};
}

/// The manifest that CURRENT names; else, with `search`, the latest readable one.
Result<std::optional<FileRepair::Found>> FileRepair::find_manifest(bool search) {
  std::vector<std::string> candidates;
  if (env_.FileExists(path(kCurrent))) {
    const auto text = read(kCurrent);
    if (!text) return text.error();
    if (const auto name = read_current(*text)) candidates.push_back(*name);
  }
  if (search) {
    std::vector<std::string> others;
    for (const std::string& name : names()) {
      if (read_current(name + "\n")) others.push_back(name);
    }
    std::ranges::sort(others, std::ranges::greater{}, file_number);
    candidates.insert(candidates.end(), others.begin(), others.end());
  }
  for (const std::string& name : candidates) {
    if (!env_.FileExists(path(name))) continue;
    const auto bytes = read(name);
    if (!bytes) return bytes.error();
    if (auto reading = read_manifest(*bytes))
      return std::optional(Found{name, std::move(*reading)});
  }
  return std::optional<Found>();
}

std::string FileRepair::table_name(const ManifestTable& table) const {
  const std::string old = table_file_name(table.number, "sst");
  return env_.FileExists(path(old)) ? old : table_file_name(table.number);
}

/// False if the manifest has lost edits at its end, with or without a trace: files that they
/// removed are missing, and files that they added are newer than any it knows. LevelDB would delete
/// those.
bool FileRepair::is_usable(const Found& found, std::size_t gone_tables) const {
  const Manifest& manifest = found.reading.manifest;
  const std::string log = table_file_name(manifest.log_number, "log");
  const bool log_is_gone = manifest.log_number != 0 && !env_.FileExists(path(log));
  if (gone_tables == 0 && !log_is_gone) return true;
  if (found.reading.torn) return false;
  return std::ranges::none_of(names(), [&](const std::string& name) {
    const bool table = name.ends_with(".ldb") || name.ends_with(".sst");
    return table && file_number(name) >= manifest.next_file;
  });
}

Result<bool> FileRepair::everything(const RepairOptions& options) {
  auto found = find_manifest(true);
  if (!found) return found.error();
  if (!*found) return false;
  Manifest& manifest = (*found)->reading.manifest;
  const auto gone = std::ranges::count_if(manifest.tables, [&](const ManifestTable& table) {
    return !env_.FileExists(path(table_name(table)));
  });
  if (!is_usable(**found, static_cast<std::size_t>(gone))) return false;
  if (static_cast<std::size_t>(gone) > options.most_gone_tables) {
    return Error(Errc::corrupt,
                 std::to_string(gone) + " of " + std::to_string(manifest.tables.size()) +
                     " tables are missing; check that the folder is complete and its disk mounted");
  }
  next_file_ = manifest.next_file;
  for (const std::string& name : names()) next_file_ = std::max(next_file_, file_number(name) + 1);
  last_sequence_ = manifest.last_sequence;
  if (const auto repaired = repair_logs(**found); !repaired) return repaired.error();
  bool changed = false;
  if (auto repaired = repair_tables(manifest, options, changed); !repaired) return repaired.error();
  const auto current = env_.FileExists(path(kCurrent)) ? read(kCurrent) : Result<std::string>("");
  const bool is_current = current && read_current(*current) == (*found)->name;
  const ManifestReading& reading = (*found)->reading;
  if (is_current && !reading.corrected && !reading.torn && !changed) return true;
  if (!is_current || reading.corrected || reading.torn) {
    DamageNote one;
    one.file = is_current ? (*found)->name : kCurrent;
    one.reason = is_current
                     ? "a wrong byte was corrected, or an unfinished edit at its end left out"
                     : "it was missing or malformed, and names the latest manifest again";
    one.reason += env_.FileExists(path(one.file)) ? keep_aside(one.file) : "";
    if (auto noted = note(std::move(one)); !noted) return noted.error();
  }
  if (auto written = write_manifest(manifest); !written) return written.error();
  return true;
}

Result<> FileRepair::write_manifest(Manifest manifest) {
  const std::string name = manifest_file_name(next_file_++);
  manifest.next_file = next_file_;
  LogWriter writer;
  writer.add(encode(manifest));
  if (auto written = write_file(env_, folder_, name, writer.bytes()); !written) return written;
  return replace(kCurrent, name + "\n");
}

}  // namespace starbus::storage
