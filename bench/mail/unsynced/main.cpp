// busd as it is, but for the disk of its mail store, which is told to sync and does not: what the
// fsync costs is the difference. Never installed; a power cut loses what it has acknowledged.
#include <leveldb/env.h>

#include <memory>

#include "bus/core/wire/version.hpp"
#include "busd/busd.hpp"
#include "daemon/main_loop.hpp"
#include "storage/leveldb/disk_env.hpp"

namespace {

using namespace starbus;

// All but the sync: what was written is the file system's then, as with a store that asks for none.
class UnsyncedFile final : public leveldb::WritableFile {
 public:
  explicit UnsyncedFile(leveldb::WritableFile* file) : file_(file) {}
  leveldb::Status Append(const leveldb::Slice& data) override { return file_->Append(data); }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return file_->Flush(); }
  leveldb::Status Sync() override { return file_->Flush(); }

 private:
  const std::unique_ptr<leveldb::WritableFile> file_;
};

class UnsyncedEnv final : public storage::DiskEnv {
 public:
  leveldb::Status NewWritableFile(const std::string& path, leveldb::WritableFile** file) override {
    leveldb::WritableFile* made = nullptr;
    const leveldb::Status status = target()->NewWritableFile(path, &made);
    *file = status.ok() ? new UnsyncedFile(made) : nullptr;
    return status;
  }
  leveldb::Status sync_folder(const std::string&) override { return leveldb::Status::OK(); }
};

}  // namespace

int main(int argc, char** argv) {
  auto& env = *new UnsyncedEnv;  // its threads may outlive main
  const daemon::DaemonInfo info{.name = "busd",
                                .version = bus::kVersion,
                                .description = "busd without fsync, for a benchmark.",
                                .admin_listen = "127.0.0.1:7611",
                                .ends_at_once = true};
  return daemon::run_daemon(info, std::make_unique<busd::Busd>(&env), argc, argv);
}
