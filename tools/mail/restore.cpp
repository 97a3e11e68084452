// The command restore: a backup becomes the store of a host.
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <ostream>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/wall_clock.hpp"
#include "bus/core/wire/post_head.hpp"
#include "bus/core/wire/shard_list.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/carry_numbers.hpp"
#include "mail/repair/disk_space.hpp"
#include "mail/repair/inspect.hpp"
#include "mail/repair/row_cursor.hpp"
#include "mail/row_keys.hpp"
#include "mail/shards/shard_row.hpp"
#include "storage/bulk_writer.hpp"
#include "storage/limits.hpp"
#include "tools/mail/commands.hpp"
#include "tools/mail/online.hpp"
#include "tools/mail/plain_file.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPartial = ".partial";     // behind the folder's name, until all is there
constexpr const char* kMark = "RESTORING";       // a file in that, so that it is known for one
constexpr const char* kReplaced = ".replaced-";  // after it, with the time: the store before

Error refuse_because(const fs::path& path, const std::error_code& error,
                     const mail::SpaceNeed& need) {
  return error_of(mail::explain(path, error.value(), need));
}

/// Bytes of its files.
std::uint64_t size_of_folder(const Folder& folder) {
  std::error_code error;
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::uintmax_t size = entry.is_regular_file(error) ? entry.file_size(error) : 0;
    if (!error) bytes += size;
  }
  return bytes;
}

Result<> copy_files(const Folder& from, const Folder& to, const mail::SpaceNeed& need) {
  std::error_code error;
  fs::create_directory(to, error);
  if (!error) fs::permissions(to, static_cast<fs::perms>(0700), error);
  if (error) return refuse_because(to, error, need);
  std::ofstream(to / kMark) << "a restore that has not ended\n";
  auto entries = fs::directory_iterator(from, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& file = entries->path();
    // Neither the lock of the store nor the mark of the backup.
    const fs::file_type type = entries->symlink_status(error).type();
    if (file.filename() == "LOCK" || file.filename() == mail::kBackupFile) continue;
    if (type == fs::file_type::symlink) {
      return Error{Errc::io_error, file.string() + ": is a link, and a backup has none"};
    }
    if (type != fs::file_type::regular) continue;
    error = copy_plain_file(file, to / file.filename());
    if (error) return refuse_because(to / file.filename(), error, need);
  }
  if (error) return refuse_because(from, error, need);
  if (auto synced = mail::sync_path(to); !synced) return error_of(synced.error());
  return {};
}

/// The store is of the past: what it knows of senders' streams is not true any more. Under no
/// lineage they are void, and posts that were under way end with owner_lost.
Result<> forget_streams(storage::Store& store, const storage::Snapshot& snapshot) {
  storage::BulkWriter writer(store);
  for (const char kind : {mail::kShardRows, mail::kStreamRows, mail::kResultsRows}) {
    const std::string prefix(1, kind);
    mail::RowCursor cursor(snapshot, prefix, mail::prefix_end(prefix));
    for (;; cursor.step()) {
      const auto row = cursor.row();
      if (!row) return error_of(row.error());
      if (*row == nullptr) break;
      auto shard = kind == mail::kShardRows ? mail::decode_shard((*row)->value) : std::nullopt;
      if (shard) shard->lineage = {};
      const auto done = shard ? writer.put((*row)->key, encode(*shard)) : writer.erase((*row)->key);
      if (!done) return error_of(done.error());
    }
  }
  if (auto flushed = writer.flush(); !flushed) return error_of(flushed.error());
  return {};
}

class Restore {
 public:
  Restore(const Context& context, const RestoreOptions& options)
      : context_(context),
        options_(options),
        // The target of a link is replaced, and not the link.
        target_(fs::weakly_canonical(fs::absolute(options.directory))) {
    if (!target_.has_filename()) target_ = target_.parent_path();
    partial_ = target_.string() + kPartial;
  }

  Result<int> run() {
    if (!options_.shards.empty()) {
      auto only = shards_in(options_.shards);
      if (!only) return only.error();
      only_ = std::move(*only);
    }
    const auto facts = mail::read_backup_facts(options_.backup);
    if (!facts) return error_of(facts.error());
    if (auto good = check_target(); !good) return good.error();
    const auto alone = lock_parent();
    if (!alone) return alone.error();
    if (auto gone = clear_partial(); !gone) return gone.error();
    need_.path = target_;
    need_.bytes = size_of_folder(options_.backup) + storage::kHeadroom;
    if (auto room = mail::check_space(need_); !room) return error_of(room.error());
    const auto restored = fill(*facts);
    if (!restored) return without_partial(restored.error());
    if (*restored != kExitOk) {
      std::error_code ignored;
      fs::remove_all(partial_, ignored);
      return restored;
    }
    const auto put = options_.busd.empty() ? put_there() : put_in_its_place();
    if (!put) return put.error();
    context_.out << "restored from the backup of host " << bustop::printable(facts->host) << "; "
                 << *put << "\n";
    return kExitOk;
  }

 private:
  Result<> check_target() const {
    if (!options_.busd.empty()) return check_is_store(target_);
    if (auto good = mail::check_new_folder(target_); !good) return error_of(good.error());
    return {};
  }

  /// Two at once would write into one folder. Ends with the program, however that ends.
  Result<FileDescriptor> lock_parent() const {
    const std::string parent = target_.parent_path().string();
    FileDescriptor file(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    if (errno == EWOULDBLOCK) {
      return Error{Errc::busy, "another restore into " + parent + " is under way"};
    }
    return error_of(mail::explain(parent, errno, need_));
  }

  /// Removes the copy of an interrupted restore. But if that ended when the folders had just
  /// changed places, the store that was there before lies there.
  Result<> clear_partial() {
    std::error_code error;
    if (!fs::exists(partial_, error)) return {};
    if (fs::exists(partial_ / kMark, error) || fs::is_empty(partial_, error)) {
      fs::remove_all(partial_, error);
      if (error) return refuse_because(partial_, error, need_);
      return {};
    }
    const Folder aside = replaced_name();
    fs::rename(partial_, aside, error);
    if (error) return refuse_because(partial_, error, need_);
    context_.err << "starbus-mail: an earlier restore has left the store that was there before in "
                 << aside.string() << "\n";
    return {};
  }

  Folder replaced_name() const { return target_.string() + kReplaced + std::to_string(wall_ms()); }

  Error without_partial(Error why) const {
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
    return why;
  }

  /// Puts the store in its empty place. Returns the next step for the user.
  Result<std::string> put_there() {
    std::error_code error;
    fs::rename(partial_, target_, error);  // takes the place of an empty folder
    if (error) return without_partial(refuse_because(target_, error, need_));
    fs::remove(target_ / kMark, error);
    if (auto synced = mail::sync_path(target_.parent_path()); !synced) {
      return error_of(synced.error());
    }
    return "start busd with [mail] directory = \"" + target_.string() + "\"";
  }

  /// Both change places at once: there is no moment in which busd, which looks for its store each
  /// second, finds none and begins with an empty one.
  Result<std::string> put_in_its_place() {
    const auto detached = detach_store(options_.busd, target_);
    if (!detached) return without_partial(detached.error());
    if (auto carried = carry_numbers(); !carried) return without_partial(carried.error());
    std::error_code error;
    fs::remove(target_ / kMark, error);  // or what is replaced would be taken for a copy
    if (error) return without_partial(refuse_because(target_ / kMark, error, need_));
    if (::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
      const int why = errno;
      if (why != EINVAL && why != EBUSY && why != ENOSYS) {
        return without_partial(error_of(mail::explain(target_, why, need_)));
      }
      return without_partial(
          {Errc::io_error, target_.string() +
                               " cannot be exchanged: its file system has no such operation, or "
                               "it is a mount point; stop busd, move what is there away, and "
                               "restore without --busd"});
    }
    // From here on what is at partial_ is the store that was there before.
    const Folder replaced = replaced_name();
    fs::rename(partial_, replaced, error);
    std::error_code ignored;
    fs::remove(target_ / kMark, ignored);
    const auto synced = mail::sync_path(target_.parent_path());
    if (!synced) return error_of(synced.error());
    return "busd opens it now; its earlier files are in " + (error ? partial_ : replaced).string();
  }

  /// Readers go on at once, with the cursors that they have, before an operator could correct
  /// these.
  Result<> carry_numbers() {
    const auto replaced = open_to_read(target_);
    if (!replaced) return replaced.error();
    const auto restored = open_to_read(partial_);
    if (!restored) return restored.error();
    const auto carried = mail::carry_numbers(*replaced->snapshot, *restored->store);
    if (!carried) return error_of(mail::explain(carried.error(), need_));
    if (carried->boxes != 0) {
      context_.out << bustop::count_of(carried->boxes, "mailbox") << " had newer mail, and "
                   << (carried->boxes == 1 ? "goes" : "go") << " on after its numbers; "
                   << bustop::count_of(carried->lost, "message") << " of it "
                   << (carried->lost == 1 ? "is" : "are") << " lost, which readers are told\n";
    }
    if (carried->behind + carried->unread != 0) {
      context_.err
          << "starbus-mail: " << bustop::count_of(carried->behind, "mailbox")
          << " had too much newer mail, and " << bustop::count_of(carried->unread, "row")
          << " of what was there cannot be read: their numbers come again\n"
             "  -> readers of these are refused as cursor_ahead: put their cursors right\n";
    }
    return {};
  }

  Result<int> fill(const mail::BackupFacts& facts) {
    if (auto copied = copy_files(options_.backup, partial_, need_); !copied) return copied.error();
    const auto opened = open_to_read(partial_);
    if (!opened) return opened.error();
    storage::Result<mail::CheckReport> report = storage::Error{};
    {
      ProgressLine line(context_);
      report = mail::check_store(*opened->snapshot, line.of_shards("checks"));
    }
    if (!report) return error_of(report.error());
    const auto rows = count_rows(*opened->snapshot);
    if (!rows) return rows.error();
    const bool whole = report->is_clean() && facts.damaged == 0 && *rows == facts.rows;
    for (const mail::Finding& finding : report->findings) {
      context_.err << bustop::printable(finding.to_string()) << "\n";
    }
    if (!whole) {
      context_.err << "starbus-mail: the backup has "
                   << bustop::count_of(report->problems, "problem") << ", "
                   << bustop::count_of(facts.damaged, "row")
                   << " could not be read when it was made, and it has " << *rows << " rows of "
                   << facts.rows << "\n";
      if (!options_.damaged) {
        context_.err << "  -> take another backup; or --damaged, and then starbus-mail repair\n";
        return kExitFindings;
      }
    }
    if (auto forgotten = forget_streams(*opened->store, *opened->snapshot); !forgotten) {
      return forgotten.error() == Errc::store_full ? error_of(mail::full_disk(need_))
                                                   : forgotten.error();
    }
    return choose_shards(*opened->store, report->totals);
  }

  /// Shards that have moved away since the backup are another host's, and are erased here.
  /// `totals`: of the whole backup.
  Result<int> choose_shards(storage::Store& store, mail::Totals totals) {
    std::vector<std::uint8_t> kept;
    std::vector<std::uint8_t> on_their_way;
    for (std::size_t i = 0; i < bus::kShards; ++i) {
      const auto shard = static_cast<std::uint8_t>(i);
      const auto stored = store.get(mail::place_key(shard));
      const auto place = stored && *stored ? mail::decode_place(**stored) : std::nullopt;
      const bool some = mail::has_rows(store, shard);
      if (!some && !place) continue;
      const bool gone = place && place->keeping == mail::Keeping::elsewhere;
      if (!gone && (!only_ || std::ranges::find(*only_, shard) != only_->end())) {
        const bool here = !place || place->keeping == mail::Keeping::kept;
        (here ? kept : on_their_way).push_back(shard);
        continue;
      }
      if (gone && !some) continue;
      storage::Batch batch;
      mail::erase_shard(shard, batch);
      // The host that has taken a shard may still ask by the token of its row.
      const mail::PlaceRow elsewhere{mail::Keeping::elsewhere, 0, {}};
      batch.put(mail::place_key(shard), encode(gone ? *place : elsewhere));
      const auto erased = storage::commit_and_wait(store, std::move(batch));
      if (!erased) return error_of(mail::explain(erased.error(), need_));
    }
    if (only_) {
      const auto left = totals_of(store, kept);
      if (!left) return left.error();
      totals = *left;
    }
    context_.out << bustop::count_of(totals.boxes, "mailbox") << ", "
                 << bustop::count_of(totals.messages, "message") << "\n";
    context_.out << "of the shards " << bus::shards_text(kept) << "\n";
    if (!on_their_way.empty()) {
      context_.out
          << "on their way when the backup was made: " << bus::shards_text(on_their_way)
          << "\n  -> they are taken only if the host that had them says that it gave them; "
             "if they have moved on\n     since, or that host has them still, restore again "
             "with --shards and the rest\n";
    }
    if (!only_) {
      context_.out << "  -> if one of them has moved to another host since the backup "
                      "(starbus-mail shards), restore\n"
                      "     again with --shards and the rest: its mail is there\n";
    }
    return kExitOk;
  }

  static Result<mail::Totals> totals_of(const storage::Store& store,
                                        const std::vector<std::uint8_t>& shards) {
    const auto snapshot = store.snapshot();
    if (!snapshot) return error_of(snapshot.error());
    mail::Totals totals;
    for (const std::uint8_t shard : shards) {
      const auto one = mail::shard_statistics(**snapshot, shard);
      if (!one) return error_of(one.error());
      totals += one->totals;
    }
    return totals;
  }

  static Result<std::uint64_t> count_rows(const storage::Snapshot& snapshot) {
    mail::RowCursor cursor(snapshot, "\x01", "");
    for (std::uint64_t count = 0;; ++count, cursor.step()) {
      const auto row = cursor.row();
      if (!row) return error_of(row.error());
      if (*row == nullptr) return count;
    }
  }

  const Context& context_;
  const RestoreOptions& options_;
  Folder target_;
  Folder partial_;
  mail::SpaceNeed need_{{}, 0, "give a --directory on another disk"};
  std::optional<std::vector<std::uint8_t>> only_;
};

}  // namespace

int run_restore(const Context& context, const RestoreOptions& options) {
  const auto code = Restore(context, options).run();
  return code ? *code : fail(context, code.error());
}

}  // namespace starbus::mail_tool
