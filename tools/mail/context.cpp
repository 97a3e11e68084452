#include "tools/mail/context.hpp"

#include <algorithm>
#include <ostream>
#include <system_error>
#include <utility>

#include "base/wall_clock.hpp"
#include "bus/core/wire/shard_list.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/disk_space.hpp"
#include "storage/limits.hpp"
#include "storage/recovery/repair.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

constexpr std::uint64_t kBetweenLines = 200;  // ms

Errc code_of(Code code) {
  switch (code.in<storage::Errc>()) {
    case storage::Errc::store_full:
      return Errc::store_full;
    case storage::Errc::corrupt:
      return Errc::corrupt;
    case storage::Errc::in_use:
      return Errc::name_taken;
    case storage::Errc::newer_format:
      return Errc::version_mismatch;
    case storage::Errc::closed:
      return Errc::closed;
    default:
      return Errc::io_error;
  }
}

}  // namespace

Result<std::vector<std::uint8_t>> shards_in(const std::string& text) {
  auto shards = bus::parse_shards(text);
  if (!shards) {
    return Error{Errc::bad_name,
                 "'" + text + "' is not a list of shards 0 to 255, such as 0-15,40"};
  }
  return std::move(*shards);
}

Error error_of(const storage::Error& error) {
  // A request that is impossible, or has no room: the detail is complete, and the code means
  // nothing to people.
  const bool said = error == storage::Errc::bad_batch || error == storage::Errc::store_full;
  return {code_of(error.code), said && !error.detail.empty() ? error.detail : error.to_string()};
}

int fail(const Context& context, const Error& error) {
  context.err << "starbus-mail: "
              << bustop::printable(error.detail.empty() ? error.to_string() : error.detail) << "\n";
  return kExitFindings;
}

Result<> check_is_store(const std::filesystem::path& directory) {
  std::error_code error;
  const auto unreadable = [&] {  // a store of another user looks like none at all
    return Error{Errc::io_error, directory.string() + ": " + error.message() +
                                     "; run this as the user of busd (sudo -u starbus ...)"};
  };
  const bool is_folder = std::filesystem::is_directory(directory, error);
  if (error == std::errc::permission_denied) return unreadable();
  if (!is_folder) {
    return Error{Errc::io_error, directory.string() +
                                     ": no such folder; --directory is the folder of the store "
                                     "([mail] directory of busd.toml; default: mail in its state "
                                     "folder)"};
  }
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const auto extension = entry.path().extension();
    if (entry.path().filename() == "CURRENT" || extension == ".ldb" || extension == ".log") {
      return {};
    }
  }
  if (error == std::errc::permission_denied) return unreadable();
  return Error{Errc::io_error, directory.string() + ": no store in this folder"};
}

Result<std::unique_ptr<storage::Store>> open_existing(const std::filesystem::path& directory) {
  if (auto there = check_is_store(directory); !there) return there.error();
  auto store = storage::open_store({.folder = directory, .repair_logs = storage::repair_logs});
  if (store) return std::move(*store);
  if (store.error() == storage::Errc::in_use) {
    return Error{Errc::name_taken,
                 directory.string() +
                     " is open: busd runs on it, or another starbus-mail; stop that "
                     "one, or take the store from the running busd with --busd unix://PATH (its "
                     "admin socket), "
                     "or ask that busd: bustop mail, starbus-mail backup"};
  }
  // Opening a store writes: its logs become tables.
  Error failure = error_of(mail::explain(
      store.error(), {directory, storage::kWriteBuffer,
                      "copy the folder to a disk that has room, and name that with --directory"}));
  if (failure == Errc::corrupt) failure.detail += "; see starbus-mail repair";
  return failure;
}

Result<Opened> open_to_read(const std::filesystem::path& directory) {
  auto store = open_existing(directory);
  if (!store) return store.error();
  auto snapshot = (*store)->snapshot();
  if (!snapshot) return error_of(snapshot.error());
  return Opened{std::move(*store), std::move(*snapshot)};
}

ProgressLine::~ProgressLine() {
  if (width_ != 0) context_.err << "\r" << std::string(width_, ' ') << "\r" << std::flush;
}

void ProgressLine::show(const std::string& text) {
  const std::uint64_t now = wall_ms();
  if (!context_.progress || now < shown_ms_ + kBetweenLines) return;
  shown_ms_ = now;
  context_.err << "\r" << bustop::pad_right(text, width_) << std::flush;
  width_ = std::max(width_, text.size());
}

mail::OnProgress ProgressLine::of_shards(const std::string& verb) {
  return [this, verb](const mail::CheckProgress& progress) {
    show(verb + " shard " + std::to_string(progress.shard) + " of 256, " +
         bustop::count_of(progress.boxes, "mailbox") + ", " +
         bustop::count_of(progress.messages, "message"));
    return !context_.interrupted || !context_.interrupted();
  };
}

}  // namespace starbus::mail_tool
