#include "storage/recovery/damage_file.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/wall_clock.hpp"
#include "storage/leveldb/leveldb_status.hpp"
#include "storage/limits.hpp"
#include "storage/recovery/damage_note.hpp"

namespace starbus::storage {
namespace {

constexpr const char* kUnfinished = "repaired";  // until it is whole

}  // namespace

Result<> write_file(StoreEnv& env, const std::string& folder, const std::string& name,
                    std::string_view bytes) {
  leveldb::WritableFile* made = nullptr;
  leveldb::Status status = env.NewWritableFile(folder + "/" + name, &made);
  const std::unique_ptr<leveldb::WritableFile> file(made);
  if (status.ok()) status = file->Append(leveldb::Slice(bytes.data(), bytes.size()));
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file->Close();
  if (!status.ok()) return error_of(status);
  return {};
}

Result<> replace_file(StoreEnv& env, const std::string& folder, const std::string& name,
                      std::string_view bytes) {
  if (auto written = write_file(env, folder, kUnfinished, bytes); !written) return written;
  const leveldb::Status status = env.RenameFile(folder + "/" + kUnfinished, folder + "/" + name);
  if (!status.ok()) return error_of(status);
  return {};
}

Result<> DamageFile::add(DamageNote note) {
  const StoreOptions options{.folder = folder_, .env = &env_.disk()};
  auto notes = read_damage(options);
  if (!notes) return notes.error();
  if (note.time_ms == 0) note.time_ms = wall_ms();
  added_.push_back(note);
  add_note(*notes, std::move(note));
  return write(*notes);
}

Result<> DamageFile::write(const std::vector<DamageNote>& notes) {
  return replace_file(env_, folder_, kDamageFile, encode(notes));
}

Result<std::vector<DamageNote>> read_damage(const StoreOptions& options) {
  DiskEnv& disk = disk_or_real(options.env);
  const std::string path = (options.folder / kDamageFile).string();
  if (!disk.FileExists(path)) return std::vector<DamageNote>();
  leveldb::SequentialFile* opened = nullptr;
  leveldb::Status status = disk.NewSequentialFile(path, &opened);
  const std::unique_ptr<leveldb::SequentialFile> file(opened);
  std::string text;
  std::string piece(64 * 1024, '\0');
  for (leveldb::Slice got; status.ok() && text.size() < kNoteFile;
       text.append(got.data(), got.size())) {
    status = file->Read(piece.size(), &got, piece.data());
    if (got.empty()) break;
  }
  if (!status.ok()) return error_of(status);
  return decode_damage(text);
}

Result<> settle_damage(const StoreOptions& options, std::vector<DamageNote> notes) {
  const auto is_open = [](const DamageNote& note) { return note.lost && !note.settled; };
  if (std::ranges::none_of(notes, is_open)) return {};
  for (DamageNote& note : notes) note.settled = true;
  StoreEnv env(disk_or_real(options.env));
  return DamageFile(env, options.folder.string()).write(notes);
}

Result<> acknowledge_damage(const StoreOptions& options) {
  DiskEnv& disk = disk_or_real(options.env);
  const std::string folder = options.folder.string();
  if (!disk.FileExists(folder + "/" + kDamageFile)) return {};
  (void)disk.CreateDir(folder + "/lost");
  leveldb::Status status =
      disk.RenameFile(folder + "/" + kDamageFile,
                      folder + "/lost/" + kDamageFile + "-" + std::to_string(wall_ms()));
  if (status.ok()) status = disk.sync_folder(folder + "/lost");
  if (status.ok()) status = disk.sync_folder(folder);
  if (!status.ok()) return error_of(status);
  return {};
}

}  // namespace starbus::storage
