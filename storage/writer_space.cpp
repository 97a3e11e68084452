/// The part of the writer for full disks.
#include <leveldb/env.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "storage/leveldb/leveldb_status.hpp"
#include "storage/limits.hpp"
#include "storage/writer.hpp"

namespace starbus::storage {
namespace {

constexpr std::uint64_t kReserveShare = 4;  // this part of the headroom stays, whatever comes
constexpr const char* kProbeName = "/probe";

}  // namespace

std::uint64_t Writer::free_bytes() const {
  std::uint64_t bytes = 0;
  const auto status = database_.env().disk().available(database_.folder(), &bytes);
  // A disk that cannot say how full it is says so when it is written to.
  return status.ok() ? bytes : std::numeric_limits<std::uint64_t>::max();
}

void Writer::look_for_space() {
  const State now = state();
  if (broken_ || (now != State::running && now != State::full)) return;
  const std::uint64_t bytes = free_bytes();
  // Twice, so that the state does not flap.
  const std::uint64_t needed = now == State::full ? 2 * headroom_ : headroom_;
  if (bytes >= needed) {
    if (now == State::full) set_state(State::running, {});
    return;
  }
  set_state(State::full,
            Error(Errc::store_full, database_.folder() + ": " + std::to_string(bytes) +
                                        " bytes are free, of " + std::to_string(needed) +
                                        " that must be"),
            bytes >= headroom_ / kReserveShare);
}

/// A store that is full takes nothing that would make LevelDB compact: what is erased in small
/// pieces would take its space for good. Not from the last quarter of the headroom: to compact
/// takes some.
void Writer::give_back_space(std::span<const Commit> next) {
  if (state() != State::full || !may_erase() || broken_ || !ranges_.empty() || !next.empty())
    return;
  if (std::exchange(erased_, false)) compactor_.everything();
}

void Writer::reopen() {
  if (free_bytes() < 2 * headroom_ || !probe_space()) return;
  compactor_.pause();
  Result<> opened = database_.reopen();
  compactor_.resume();
  if (opened) {
    const auto use = database_.use();
    opened = use ? ranges_.load(**use) : Result<>(use.error());
  }
  if (!opened && may_pass(opened.error())) return;
  if (!opened) return stop(opened.error());
  hidden_ = ranges_.size();
  broken_ = false;
  ++reopened_;
  set_state(State::running, {});
}

bool Writer::probe_space() {
  // Through the disk itself, not through the store's environment: a probe is not a failure of a
  // log.
  DiskEnv& disk = database_.env().disk();
  const std::string path = database_.folder() + kProbeName;
  leveldb::WritableFile* made = nullptr;
  leveldb::Status status = disk.NewWritableFile(path, &made);
  const std::unique_ptr<leveldb::WritableFile> file(made);
  const std::string block(kBlockSize, 'p');
  for (std::uint64_t written = 0; status.ok() && written < kProbe; written += block.size()) {
    status = file->Append(block);
  }
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file->Close();
  disk.RemoveFile(path);
  return status.ok();
}

}  // namespace starbus::storage
