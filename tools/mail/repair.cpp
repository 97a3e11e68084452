// The command repair: first the store below, then the mail in it.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/wall_clock.hpp"
#include "bus/core/wire/name.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/noted_damage.hpp"
#include "mail/repair/repair_log.hpp"
#include "mail/repair/repair_mail.hpp"
#include "mail/row_keys.hpp"
#include "tools/mail/commands.hpp"
#include "tools/terminal/json_text.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

constexpr std::size_t kMostShown = 100;  // steps

/// The losses that this repair, or an earlier start, has noted.
struct Damage {
  std::vector<storage::DamageNote> notes;

  bool covers(const std::string& from, const std::string& to) const {
    return std::ranges::any_of(notes, [&](const storage::DamageNote& note) {
      if (!note.lost || note.settled) return false;
      return note.elsewhere || std::ranges::any_of(note.ranges, [&](const auto& range) {
               return range.from < to && (range.to.empty() || from < range.to);
             });
    });
  }
};

/// True for mailboxes whose row must be made again, or given its name.
class Wanted {
 public:
  Wanted(const storage::Snapshot& snapshot, const Damage& damage)
      : snapshot_(snapshot), damage_(damage) {}

  bool operator()(const bus::ChannelId& id) const {
    const std::uint8_t shard = bus::shard_of(id);
    const std::string key = mail::box_key(shard, id);
    const auto value = snapshot_.get(key);
    if (!value) return true;
    // An earlier version of the row may have come up.
    if (damage_.covers(key, key + '\0')) return true;
    if (!*value) return has_messages(shard, id);
    const auto row = mail::decode_box(**value);
    return !row || bus::channel_id(row->name) != id;
  }

 private:
  bool has_messages(std::uint8_t shard, const bus::ChannelId& id) const {
    const auto page =
        snapshot_.scan(mail::message_key(shard, id, 0),
                       mail::message_key(shard, id, ~std::uint64_t{0}), {.records = 1});
    return page && (!page->records.empty() || !page->damage.empty());
  }

  const storage::Snapshot& snapshot_;
  const Damage& damage_;
};

class Repair {
 public:
  Repair(const Context& context, const RepairOptions& options)
      : context_(context), options_(options) {}

  Result<int> run() {
    if (auto there = check_is_store(options_.directory); !there) return there.error();
    Result<> opened = open();
    if (!opened && opened.error() != Errc::corrupt) return opened.error();
    if (opened) {
      const auto report = check();
      if (!report) return report.error();
      if (auto read = read_notes(); !read) return read.error();
      if (report->is_clean() && !damage_.covers(std::string(), std::string(1, '\xff'))) {
        say("no problems found: nothing was changed");
        return kExitOk;
      }
      if (report->damage == 0) return repair();
      store_.reset();  // what is damaged would stop the store at a compaction
    } else {
      say("the store cannot be opened: " + opened.error().detail);
    }
    const auto repaired = storage::repair_store({.folder = options_.directory});
    if (!repaired) return error_of(repaired.error());
    say("the files of the store are repaired; the originals are in " +
        (options_.directory / "lost").string());
    if (auto read = read_notes(); !read) return read.error();
    if (auto again = open(); !again) return again.error();
    return repair();
  }

 private:
  Result<> read_notes() {
    auto notes = storage::read_damage({.folder = options_.directory});
    if (!notes) return error_of(notes.error());
    damage_.notes = std::move(*notes);
    mail::name_boxes(options_.directory, damage_.notes);
    return {};
  }

  Result<> open() {
    auto store = open_existing(options_.directory);
    if (!store) return store.error();
    store_ = std::move(*store);
    return {};
  }

  Result<mail::CheckReport> check() {
    const auto snapshot = store_->snapshot();
    if (!snapshot) return error_of(snapshot.error());
    ProgressLine line(context_);
    auto report = mail::check_store(**snapshot, line.of_shards("checks"));
    if (!report) return error_of(report.error());
    return std::move(*report);
  }

  Result<int> repair() {
    mail::RepairLog log(report_path());
    {
      const auto snapshot = store_->snapshot();
      if (!snapshot) return error_of(snapshot.error());
      const Wanted wanted(**snapshot, damage_);
      mail::BoxSearch search(wanted);
      search.read_folder(options_.directory);
      mail::MailRepairOptions options = mail::options_of(damage_.notes);
      options.parts.reset();  // all is looked at: damage may be older than its notes
      options.search = &search;
      options.on_step = [&](const mail::RepairStep& step) {
        const bool shown = log.count() < kMostShown && !context_.json;
        if (shown) context_.out << bustop::printable(step.to_string()) << "\n";
        return log.add(step);
      };
      ProgressLine line(context_);
      options.on_progress = line.of_shards("repairs");
      const auto repaired = mail::repair_mail(*store_, options);
      if (!log.good() && log.count() != 0) {
        return Error{Errc::io_error,
                     log.path().string() + " cannot be written; give --report FILE"};
      }
      if (!repaired) return error_of(repaired.error());
      const auto settled = storage::settle_damage({.folder = options_.directory}, damage_.notes);
      if (!settled) return error_of(settled.error());
    }
    const auto after = check();
    if (!after) return after.error();
    return conclude(log, *after);
  }

  Folder report_path() const {
    if (!options_.report.empty()) return options_.report;
    Folder folder = options_.directory;
    if (!folder.has_filename()) folder = folder.parent_path();
    return folder.string() + ".repair-" + std::to_string(wall_ms()) + ".jsonl";
  }

  int conclude(const mail::RepairLog& log, const mail::CheckReport& after) const {
    if (context_.json) {
      context_.out << bustop::dump({{"clean", after.is_clean()},
                                    {"problems_left", after.problems},
                                    {"steps", log.count()},
                                    {"messages_lost", log.lost()},
                                    {"report", log.path().string()}});
    } else {
      if (log.count() > kMostShown) {
        context_.out << "and " << log.count() - kMostShown << " more\n";
      }
      context_.out << bustop::count_of(log.lost(), "message")
                   << (log.lost() == 1 ? " is lost" : " are lost");
      // Where LevelDB alone had to be repaired there was no action, and so there is no report.
      if (log.count() != 0) context_.out << "; the steps are in " << log.path().string();
      context_.out << "\n"
                   << (after.is_clean() ? "the store has no problems now\n"
                                        : "some problems are left: see starbus-mail check\n");
    }
    return after.is_clean() ? kExitOk : kExitFindings;
  }

  void say(const std::string& text) const {
    (context_.json ? context_.err : context_.out) << bustop::printable(text) << "\n";
  }

  const Context& context_;
  const RepairOptions& options_;
  std::unique_ptr<storage::Store> store_;
  Damage damage_;
};

}  // namespace

int run_repair(const Context& context, const RepairOptions& options) {
  std::error_code error;
  if (!options.report.empty() && std::filesystem::exists(options.report, error)) {
    return fail(context,
                {Errc::io_error, options.report.string() + ": file exists; give another name"});
  }
  const auto code = Repair(context, options).run();
  return code ? *code : fail(context, code.error());
}

}  // namespace starbus::mail_tool
