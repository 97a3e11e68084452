// The command repair: first the store below, then the mail in it.
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "bus/core/name.hpp"
#include "busd/mail/care/backup.hpp"
#include "busd/mail/care/base64.hpp"
#include "busd/mail/care/mend.hpp"
#include "busd/mail/row_keys.hpp"
#include "tools/bustop/json_out.hpp"
#include "tools/bustop/text.hpp"
#include "tools/mail/commands.hpp"

namespace starbus::mail_tool {
namespace {

using bustop::OrderedJson;

OrderedJson json_of(const mail::Mended& mended) {
  OrderedJson json = {{"deed", std::string(mail::name_of(mended.deed))},
                      {"mailbox", mended.name.empty() ? OrderedJson() : OrderedJson(mended.name)},
                      {"id", mended.id ? OrderedJson(mended.id->to_string()) : OrderedJson()},
                      {"shard", mended.shard}};
  if (mended.last != 0) {
    json["first"] = mended.first;
    json["last"] = mended.last;
  }
  if (!mended.detail.empty()) json["detail"] = mended.detail;
  if (mended.deed == mail::Deed::acknowledged) {
    json["time_ms"] = mended.time_ms;
    json["body"] = mail::to_base64(mended.body);
  }
  return json;
}

std::string text_of(const mail::Mended& mended) {
  std::string text = !mended.name.empty() ? mended.name
                     : mended.id          ? "mailbox " + mended.id->to_string()
                                          : bus::shard_name(mended.shard);
  text += ": " + std::string(mail::name_of(mended.deed));
  if (mended.first != 0) text += " " + std::to_string(mended.first);
  if (mended.last > mended.first) {
    text += (mended.first == 0 ? " up to " : " to ") + std::to_string(mended.last);
  }
  return mended.detail.empty() ? text : text + ": " + mended.detail;
}

/// Every deed, one JSON object per line, written before it is done; the first of them are shown.
class Diary {
 public:
  static constexpr std::size_t kMostShown = 100;

  Diary(const Context& context, const Folder& path) : context_(context), path_(path) {}

  bool add(const mail::Mended& mended) {
    if (!file_.is_open()) file_.open(path_, std::ios::binary | std::ios::app);
    file_ << bustop::dump(json_of(mended), true);
    file_.flush();
    if (mended.deed == mail::Deed::lost) lost_ += mended.last - mended.first + 1;
    if (count_++ < kMostShown && !context_.json) {
      context_.out << bustop::printable(text_of(mended)) << "\n";
    }
    return file_.good();
  }
  bool good() const { return file_.good(); }
  std::uint64_t count() const { return count_; }
  std::uint64_t lost() const { return lost_; }
  const Folder& path() const { return path_; }

 private:
  const Context& context_;
  const Folder path_;
  std::ofstream file_;
  std::uint64_t count_ = 0;
  std::uint64_t lost_ = 0;
};

/// What is known of the damage before the store below is repaired.
struct Damage {
  bool all = false;  // it could not even be opened: anything may be missing
  std::vector<mail::DamagedBlock> blocks;

  bool covers(const std::string& from, const std::string& to) const {
    for (const mail::DamagedBlock& block : blocks) {
      if (block.from < to && (block.to.empty() || from < block.to)) return true;
    }
    return all;
  }
  std::bitset<bus::kShards> void_streams() const {
    std::bitset<bus::kShards> shards;
    for (std::size_t i = 0; i < bus::kShards; ++i) {
      for (const char kind : {mail::kShardRows, mail::kStreamRows, mail::kResultsRows}) {
        const std::string prefix = mail::kind_prefix(kind, static_cast<std::uint8_t>(i));
        if (covers(prefix, mail::prefix_end(prefix))) shards.set(i);
      }
    }
    return shards;
  }
};

/// True of mailboxes whose row must be made anew, or given its name.
class Wanted {
 public:
  Wanted(const storage::Snapshot& snapshot, const Damage& damage)
      : snapshot_(snapshot), damage_(damage) {}

  bool operator()(const bus::ChannelId& id) const {
    const std::uint8_t shard = bus::shard_of(id);
    const std::string key = mail::box_key(shard, id);
    const auto value = snapshot_.get(key);
    if (!value) return true;
    if (!*value) return damage_.covers(key, key + '\0') || has_messages(shard, id);
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
      if (report->is_clean()) {
        say("all is well: nothing was changed");
        return kExitOk;
      }
      damage_.blocks = report->blocks;
      if (report->damage == 0) return mend();
      store_.reset();  // what is damaged would stop the store at a compaction
    } else {
      damage_.all = true;
      say("the store cannot be opened: " + opened.error().detail);
    }
    const auto repaired = storage::repair_store({.folder = options_.directory});
    if (!repaired) return error_of(repaired.error());
    say("the store below is repaired; its files as they were are in " +
        (options_.directory / "lost").string());
    if (auto again = open(); !again) return again.error();
    return mend();
  }

 private:
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

  Result<int> mend() {
    Diary diary(context_, report_path());
    {
      const auto snapshot = store_->snapshot();
      if (!snapshot) return error_of(snapshot.error());
      const Wanted wanted(**snapshot, damage_);
      mail::BoxSearch search(wanted);
      search.read_folder(options_.directory);
      mail::MendOptions options;
      options.void_streams = damage_.void_streams();
      options.search = &search;
      options.on_mended = [&](const mail::Mended& mended) { return diary.add(mended); };
      ProgressLine line(context_);
      options.on_progress = line.of_shards("mends");
      const auto mended = mail::mend_store(*store_, options);
      if (!diary.good() && diary.count() != 0) {
        return Error{Errc::io_error,
                     diary.path().string() + " cannot be written; give --report FILE"};
      }
      if (!mended) return error_of(mended.error());
    }
    const auto after = check();
    if (!after) return after.error();
    return conclude(diary, *after);
  }

  Folder report_path() const {
    if (!options_.report.empty()) return options_.report;
    Folder folder = options_.directory;
    if (!folder.has_filename()) folder = folder.parent_path();
    return folder.string() + ".repair-" + std::to_string(mail::wall_clock_ms()) + ".jsonl";
  }

  int conclude(const Diary& diary, const mail::CheckReport& after) const {
    if (context_.json) {
      context_.out << bustop::dump({{"clean", after.is_clean()},
                                    {"problems_left", after.problems},
                                    {"deeds", diary.count()},
                                    {"messages_lost", diary.lost()},
                                    {"report", diary.path().string()}});
    } else {
      if (diary.count() > Diary::kMostShown) {
        context_.out << "and " << diary.count() - Diary::kMostShown << " more\n";
      }
      context_.out << bustop::count_of(diary.lost(), "message")
                   << (diary.lost() == 1 ? " is lost" : " are lost");
      // Where LevelDB alone had to be mended there was no deed, and so there is no report.
      if (diary.count() != 0) context_.out << "; what was done is in " << diary.path().string();
      context_.out << "\n"
                   << (after.is_clean() ? "the store is whole\n"
                                        : "not all could be mended: see starbus-mail check\n");
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
                {Errc::io_error, options.report.string() + " exists already; give another name"});
  }
  const auto code = Repair(context, options).run();
  return code ? *code : fail(context, code.error());
}

}  // namespace starbus::mail_tool
