#include "mail/repair/backup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/numbers.hpp"
#include "base/wall_clock.hpp"
#include "mail/limits.hpp"
#include "mail/repair/backup_folder.hpp"
#include "mail/repair/disk_space.hpp"
#include "mail/row_keys.hpp"
#include "storage/bulk_writer.hpp"
#include "storage/limits.hpp"
#include "storage/recovery/repair.hpp"

namespace starbus::mail {
namespace {

constexpr std::string_view kFirstLine = "starbus-mail-backup 1";
constexpr std::string_view kLastLine = "end";
constexpr const char* kFirstOfAll = "\x01";

struct Field {
  std::string_view name;
  std::uint64_t BackupFacts::*value;
};
constexpr Field kFields[] = {{"begun_ms", &BackupFacts::begun_ms},
                             {"ended_ms", &BackupFacts::ended_ms},
                             {"rows", &BackupFacts::rows},
                             {"bytes", &BackupFacts::bytes},
                             {"damaged", &BackupFacts::damaged}};

/// Takes a line off the front; no value when none is left that ends.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

/// "name value" -> value.
std::optional<std::string_view> value_of(std::optional<std::string_view> line,
                                         std::string_view name) {
  if (!line || !line->starts_with(name) || line->size() <= name.size()) return std::nullopt;
  if ((*line)[name.size()] != ' ') return std::nullopt;
  return line->substr(name.size() + 1);
}

/// The folder of a store in which this one lies; empty: none. What is put there would be taken for
/// a part of it, or be lost with it.
std::filesystem::path store_around(const std::filesystem::path& folder) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(folder, error);
  if (error) return {};
  for (auto above = real; above.has_relative_path(); above = above.parent_path()) {
    const bool is_store = std::filesystem::exists(above / "CURRENT", error) &&
                          std::filesystem::exists(above / "LOCK", error);
    if (is_store && above != real) return above;
  }
  return {};
}

storage::Result<BackupFacts> copy_rows(const storage::Snapshot& snapshot,
                                       const std::filesystem::path& target, BackupFacts facts,
                                       const OnBackup& on_progress) {
  const auto store = storage::open_store({.folder = target, .repair_logs = storage::repair_logs});
  if (!store) return store.error();
  storage::BulkWriter writer(**store);
  for (std::optional<std::string> from = kFirstOfAll; from;) {
    auto page = snapshot.scan(*from, "");
    if (!page) return page.error();
    facts.damaged += page->damage.size();
    for (const storage::Record& record : page->records) {
      if (auto put = writer.put(record.key, record.value); !put) return put.error();
      ++facts.rows;
      facts.boxes += record.key.front() == kBoxRows ? 1 : 0;
      facts.messages += record.key.front() == kMessageRows ? 1 : 0;
      facts.bytes += record.key.size() + record.value.size();
    }
    if (!on_progress(facts)) {
      return storage::Error(storage::Errc::closed, "the backup was interrupted");
    }
    from = std::move(page->next);
  }
  if (auto flushed = writer.flush(); !flushed) return flushed.error();
  (*store)->close();
  return facts;
}

}  // namespace

std::string encode(const BackupFacts& facts) {
  std::string text = std::string(kFirstLine) + "\nhost " + facts.host + "\n";
  for (const Field& field : kFields) {
    text += std::string(field.name) + " " + std::to_string(facts.*field.value) + "\n";
  }
  return text + std::string(kLastLine) + "\n";
}

std::optional<BackupFacts> decode_backup_facts(std::string_view text) {
  BackupFacts facts;
  if (text.size() > kLongestFacts || take_line(text) != kFirstLine) return std::nullopt;
  const auto host = value_of(take_line(text), "host");
  if (!host) return std::nullopt;
  facts.host = *host;
  for (const Field& field : kFields) {
    const auto digits = value_of(take_line(text), field.name);
    if (!digits || (digits->size() > 1 && digits->front() == '0')) return std::nullopt;
    const auto number = parse_number<std::uint64_t>(*digits);
    if (!number) return std::nullopt;
    facts.*field.value = *number;
  }
  if (take_line(text) != kLastLine || !text.empty()) return std::nullopt;
  return facts;
}

storage::Result<BackupFacts> read_backup_facts(const std::filesystem::path& folder) {
  const auto path = folder / kBackupFile;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int reason = errno;
    if (reason == EACCES) {
      return storage::Error(storage::Errc::io_error,
                            path.string() + ": " + std::strerror(reason) +
                                "; run this as a user who may read the backup");
    }
    return storage::Error(storage::Errc::io_error, folder.string() + " has no file " + kBackupFile +
                                                       ": not a backup, or an interrupted one");
  }
  std::string text(kLongestFacts + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  auto facts = decode_backup_facts(text);
  if (!facts) {
    return storage::Error(storage::Errc::corrupt,
                          path.string() + ": not written by starbus-mail backup");
  }
  return std::move(*facts);
}

storage::Result<> check_new_folder(const std::filesystem::path& folder) {
  const auto refuse = [&](const std::string& why) {
    return storage::Error(storage::Errc::bad_batch, folder.string() + why);
  };
  std::error_code error;
  if (!folder.is_absolute()) return refuse(": give an absolute path, such as /backup/mail");
  const auto parent =
      folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path();
  if (!std::filesystem::is_directory(parent, error)) {
    return refuse(": there is no folder " + parent.string() + " to make it in");
  }
  if (const auto store = store_around(folder); !store.empty()) {
    return refuse(" is within the folder of a store, " + store.string() + "; give one beside it");
  }
  if (!std::filesystem::exists(folder, error)) return {};
  if (!std::filesystem::is_directory(folder, error))
    return refuse(" is there already, and is not a folder");
  const auto first = std::filesystem::directory_iterator(folder, error);
  if (error) return refuse(": " + error.message());
  if (first != std::filesystem::directory_iterator()) {
    return refuse(" is there already and is not empty; give a folder that is not there yet");
  }
  return {};
}

storage::Result<> sync_path(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return explain(path, errno, {.path = path});
  const int failure = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (failure != 0) return explain(path, failure, {.path = path});
  return {};
}

storage::Result<BackupFacts> copy_store(const storage::Snapshot& snapshot,
                                        const std::filesystem::path& target, BackupFacts facts,
                                        const OnBackup& on_progress) {
  if (auto good = check_new_folder(target); !good) return good.error();
  const SpaceNeed need{target, bytes_of_bodies(snapshot) + storage::kHeadroom,
                       "give a folder on another disk"};
  if (auto room = check_space(need); !room) return room.error();
  // From here on by the descriptor: the name may mean something else meanwhile.
  const auto folder = BackupFolder::make(target);
  if (!folder) return folder.error();
  const auto place = folder->place();
  if (!place) return place.error();
  if (auto good = check_new_folder(*place); !good) return good.error();
  auto copied = copy_rows(snapshot, folder->path(), std::move(facts), on_progress);
  if (!copied) return explain(folder->named(copied.error()), need);
  copied->ended_ms = wall_ms();
  if (auto written = folder->write(kBackupFile, encode(*copied)); !written) {
    return written.error();
  }
  return copied;
}

}  // namespace starbus::mail
