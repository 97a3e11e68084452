// The command import. The file is read twice: before anything is written all of it was right, and
// no mailbox of it was in the way.
#include <boost/unordered/unordered_flat_set.hpp>
#include <fstream>
#include <map>
#include <ostream>

#include "bus/core/wire/name.hpp"
#include "mail/lost_row.hpp"
#include "mail/repair/disk_space.hpp"
#include "mail/repair/inspect.hpp"
#include "storage/bulk_writer.hpp"
#include "storage/limits.hpp"
#include "storage/recovery/repair.hpp"
#include "tools/mail/commands.hpp"
#include "tools/mail/export_format.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

constexpr std::size_t kMostImported = 10'000'000;  // boxes of one file: their ids are in memory
constexpr std::size_t kMostNamed = 10;             // of refused boxes, in a message

/// Calls `box` and `message` for the lines of a file.
template <class OnBox, class OnMessage>
Result<> read_file(const Folder& path, OnBox&& box, OnMessage&& message) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{Errc::io_error, path.string() + " cannot be read"};
  ExportReader reader(file);
  for (;;) {
    const auto line = reader.next();
    if (!line) {
      return Error{line.error().code, path.string() + ": " + line.error().detail +
                                          "; nothing of the file was imported"};
    }
    if (!*line) return {};
    Result<> taken;
    if (const auto* as_box = std::get_if<BoxLine>(&**line)) taken = box(*as_box);
    if (const auto* as_message = std::get_if<MessageLine>(&**line)) taken = message(*as_message);
    if (!taken) return taken;
  }
}

/// The first reading.
class Judge {
 public:
  /// `snapshot`: null where there is no store yet, and so nothing in the way.
  Judge(const storage::Snapshot* snapshot, bool append) : snapshot_(snapshot), append_(append) {}

  Result<> box(const BoxLine& line) {
    const bus::ChannelId id = bus::channel_id(line.name);
    if (!seen_.insert(id).second) return refuse(line.name, "is twice in the file");
    if (seen_.size() > kMostImported) {
      return Error{Errc::too_large, "more than 10 million mailboxes in one file: split it"};
    }
    if (snapshot_ == nullptr) return {};
    if (auto here = is_here(line.name, bus::shard_of(id)); !here) return here;
    const auto found = mail::find_box(*snapshot_, line.name);
    if (!found) return error_of(found.error());
    if (!*found) return {};
    const mail::BoxRow& row = (*found)->row;
    if (row.name != line.name) return refuse(line.name, "is sealed: see starbus-mail repair");
    if (row.decided() && row.kind != line.kind) return refuse(line.name, "is a log here, or there");
    if (append_) return {};
    if (row.count() != 0) return refuse(line.name, "has messages");
    if (row.last > line.floor) return refuse(line.name, "has had other messages of these numbers");
    return {};
  }

  Result<> verdict() const {
    if (refused_ == 0) return {};
    std::string text = bustop::count_of(refused_, "mailbox") + (refused_ == 1 ? " is" : " are") +
                       " in the way: " + names_;
    if (refused_ > kMostNamed) text += ", ...";
    return Error{Errc::busy,
                 text + "; nothing was imported; --append adds after the messages that are there"};
  }

 private:
  /// busd erases what it finds of a shard that is another host's.
  Result<> is_here(const std::string& name, std::uint8_t shard) const {
    const auto stored = snapshot_->get(mail::place_key(shard));
    if (!stored) return error_of(stored.error());
    const auto place = *stored ? mail::decode_place(**stored) : mail::PlaceRow{};
    if (place && place->keeping == mail::Keeping::kept) return {};
    const std::string of = name + " is of " + bus::shard_name(shard) + ", ";
    if (!place) return Error{Errc::corrupt, of + "and where that is kept cannot be read"};
    const std::string where = place->keeping != mail::Keeping::elsewhere
                                  ? "which was on its way to here from " + place->host
                              : place->host.empty() ? "which is another host's"
                                                    : "which went to host " + place->host;
    return Error{Errc::denied, of + where +
                                   ": import it where it is served (starbus-mail shards); nothing "
                                   "was imported"};
  }

  Result<> refuse(const std::string& name, const std::string& why) {
    if (refused_++ < kMostNamed) names_ += (names_.empty() ? "" : ", ") + name + " " + why;
    return {};
  }

  const storage::Snapshot* const snapshot_;
  const bool append_;
  boost::unordered_flat_set<bus::ChannelId> seen_;
  std::uint64_t refused_ = 0;
  std::string names_;
};

/// The second. The messages of a mailbox are on the disk before its row: an import that is cut off
/// leaves messages that belong to no mailbox, and the next one writes the same again.
class Importer {
 public:
  Importer(storage::Store& store, const storage::Snapshot& snapshot, const Context& context,
           bool append)
      : snapshot_(snapshot),
        writer_(store),
        context_(context),
        progress_(context),
        append_(append) {}

  Result<> box(const BoxLine& line) {
    if (auto ended = end_box(); !ended) return ended;
    if (context_.interrupted && context_.interrupted()) {
      return Error{Errc::closed, "interrupted: the mailboxes up to here are imported"};
    }
    const auto found = mail::find_box(snapshot_, line.name);
    if (!found) return error_of(found.error());
    box_.emplace();
    box_->id = bus::channel_id(line.name);
    box_->shard = bus::shard_of(box_->id);
    existed_ = found->has_value();
    if (existed_) box_->row = (*found)->row;
    before_ = box_->row;
    box_->row.name = line.name;
    box_->row.kind = line.kind;
    if (!append_ || !existed_) {
      box_->row.floor = box_->row.last = line.floor;
      box_->row.floor_total = box_->row.total;
    }
    return {};
  }

  Result<> message(const MessageLine& line) {
    if (append_ && line.lost) return {};  // its number is not kept
    mail::BoxRow& row = box_->row;
    if (row.last >= mail::kMostNumber) {
      return Error{Errc::mailbox_full, bustop::printable(row.name) + " has no numbers left"};
    }
    ++row.last;
    row.total += line.body.size();
    const mail::MessageRow message =
        line.lost ? mail::lost_row(row.total)
                  : mail::MessageRow{line.time_ms, row.total, line.trace, line.body};
    const auto put =
        writer_.put(mail::message_key(box_->shard, box_->id, row.last), encode(message));
    if (!put) return error_of(put.error());
    ++messages_;
    progress_.show("imports " + bustop::count_of(boxes_, "mailbox") + ", " +
                   bustop::count_of(messages_, "message"));
    return {};
  }

  Result<> finish() {
    if (auto ended = end_box(); !ended) return ended;
    if (auto flushed = writer_.flush(); !flushed) return error_of(flushed.error());
    return {};
  }

  std::uint64_t boxes() const { return boxes_; }
  std::uint64_t messages() const { return messages_; }

 private:
  Result<> end_box() {
    if (!box_) return {};
    ++boxes_;
    const auto shard = shard_row();
    if (!shard) return shard.error();
    const std::string key = mail::box_key(box_->shard, box_->id);
    const std::string value = encode(box_->row);
    box_.reset();
    const std::string shard_key = mail::shard_key(*shard);
    const std::string shard_value = encode(shards_.at(*shard));
    const auto put = writer_.put_together({key, value}, {shard_key, shard_value});
    if (!put) return error_of(put.error());
    return {};
  }

  /// The shard of the mailbox, whose sums have it now.
  Result<std::uint8_t> shard_row() {
    const std::uint8_t number = box_->shard;
    auto known = shards_.find(number);
    if (known == shards_.end()) {
      const auto value = snapshot_.get(mail::shard_key(number));
      if (!value) return error_of(value.error());
      const auto row = *value ? mail::decode_shard(**value) : mail::ShardRow{};
      if (!row) return Error{Errc::corrupt, "a shard's row is damaged: see starbus-mail repair"};
      known = shards_.emplace(number, *row).first;
    }
    mail::Totals& totals = known->second.totals;
    if (!existed_) ++totals.boxes;
    totals.messages += box_->row.count() - before_.count();
    totals.bytes += box_->row.bytes() - before_.bytes();
    return number;
  }

  const storage::Snapshot& snapshot_;
  storage::BulkWriter writer_;
  const Context& context_;
  ProgressLine progress_;
  const bool append_;
  std::optional<mail::BoxInfo> box_;
  mail::BoxRow before_;  // of the box, as it was
  bool existed_ = false;
  std::map<std::uint8_t, mail::ShardRow> shards_;
  std::uint64_t boxes_ = 0;
  std::uint64_t messages_ = 0;
};

Result<Opened> make_store(const Folder& folder) {
  auto store = storage::open_store({.folder = folder, .repair_logs = storage::repair_logs});
  if (!store) return error_of(store.error());
  auto snapshot = (*store)->snapshot();
  if (!snapshot) return error_of(snapshot.error());
  return Opened{std::move(*store), std::move(*snapshot)};
}

}  // namespace

int run_import(const Context& context, const ImportOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.file, error)) {
    return fail(context,
                {Errc::io_error, options.file.string() +
                                     " is not a file; it is read twice, so a pipe will not do"});
  }
  // A new host has no store yet. One is made, in a folder that is there or in one that is not, but
  // only for a file that is not refused.
  Opened opened;
  if (check_is_store(options.directory)) {
    auto there = open_to_read(options.directory);
    if (!there) return fail(context, there.error());
    opened = std::move(*there);
  }
  Judge judge(opened.snapshot.get(), options.append);
  mail::SpaceNeed need{options.directory, storage::kHeadroom, "use a --directory on another disk"};
  auto read = read_file(
      options.file, [&](const BoxLine& line) { return judge.box(line); },
      [&](const MessageLine& line) {
        need.bytes += line.body.size();
        return Result<>();
      });
  if (read) read = judge.verdict();
  if (!read) return fail(context, read.error());
  if (auto room = mail::check_space(need); !room) return fail(context, error_of(room.error()));
  if (opened.store == nullptr) {
    auto made = make_store(options.directory);
    if (!made) return fail(context, made.error());
    opened = std::move(*made);
  }
  Importer importer(*opened.store, *opened.snapshot, context, options.append);
  read = read_file(
      options.file, [&](const BoxLine& line) { return importer.box(line); },
      [&](const MessageLine& line) { return importer.message(line); });
  if (read) read = importer.finish();
  if (!read && read.error() == Errc::store_full) read = error_of(mail::full_disk(need));
  if (!read) return fail(context, read.error());
  context.out << bustop::count_of(importer.boxes(), "mailbox") << ", "
              << bustop::count_of(importer.messages(), "message") << " imported\n";
  return kExitOk;
}

}  // namespace starbus::mail_tool
