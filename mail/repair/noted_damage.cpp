#include "mail/repair/noted_damage.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/text_of_file.hpp"
#include "bus/core/wire/name.hpp"
#include "mail/repair/damage_names.hpp"
#include "mail/row_keys.hpp"

namespace starbus::mail {
namespace {

constexpr std::size_t kPartIdAt = 2;
constexpr std::size_t kPartIdEnd = kPartIdAt + 16;
constexpr std::string_view kBoxKinds = "bkm";
constexpr std::string_view kShardKinds = "Sfr";

bool is_of_log(const storage::DamageNote& note) {
  return note.file.ends_with(".log");
}

bool is_open(const storage::DamageNote& note) {
  return note.lost && !note.settled;
}

using Range = storage::DamageNote::Range;

bool overlaps(const Range& range, const std::string& from, const std::string& to) {
  return range.from < to && (range.to.empty() || from < range.to);
}

class PlanMaker {
 public:
  MailRepairOptions run(const std::vector<storage::DamageNote>& notes) {
    for (const storage::DamageNote& note : notes) {
      if (is_open(note)) add(note);
    }
    if (whole_) {
      options_.void_streams.set();
      options_.lost_places.set();
      return std::move(options_);
    }
    options_.parts = merged();
    return std::move(options_);
  }

 private:
  void add(const storage::DamageNote& note) {
    const bool log = is_of_log(note);
    // Of a log nothing more is known than its ranges, and nothing else can be found anywhere.
    whole_ = whole_ || (!log && note.elsewhere);
    for (const Range& range : note.ranges) {
      for (std::size_t shard = 0; shard < kShards; ++shard) {
        add(range, static_cast<std::uint8_t>(shard), log);
      }
      if (log) add_given(range);
    }
  }

  void add(const Range& range, std::uint8_t shard, bool log) {
    for (const char kind : kBoxKinds) add_part(range, kind, shard);
    for (const char kind : kShardKinds) {
      const std::string prefix = kind_prefix(kind, shard);
      if (!log && overlaps(range, prefix, prefix_end(prefix))) options_.void_streams.set(shard);
    }
    const std::string place = place_key(shard);
    if (overlaps(range, place, place + '\0')) options_.lost_places.set(shard);
  }

  void add_part(const Range& range, char kind, std::uint8_t shard) {
    const std::string begin = kind_prefix(kind, shard);
    const std::string end = prefix_end(begin);
    if (!overlaps(range, begin, end)) return;
    RepairPart part{shard};
    if (range.from > begin) part.ids.from = range.from.substr(kPartIdAt, kPartIdEnd - kPartIdAt);
    // The mailbox in which it ends belongs to it.
    if (!range.to.empty() && range.to < end) {
      part.ids.to = prefix_end(range.to.substr(kPartIdAt, kPartIdEnd - kPartIdAt));
    }
    parts_.push_back(std::move(part));
  }

  void add_given(const Range& range) {
    const auto key = read_mail_key(range.from);
    if (!key || key->kind != kMessageRows || key->number > kMostNumber) return;
    std::uint64_t& given = options_.given[key->id];
    given = std::max(given, key->number);
  }

  /// Each mailbox once.
  std::vector<RepairPart> merged() {
    std::ranges::sort(parts_, [](const RepairPart& a, const RepairPart& b) {
      return std::tie(a.shard, a.ids.from) < std::tie(b.shard, b.ids.from);
    });
    std::vector<RepairPart> all;
    for (RepairPart& part : parts_) {
      const bool touches = !all.empty() && all.back().shard == part.shard &&
                           (all.back().ids.to.empty() || part.ids.from <= all.back().ids.to);
      if (!touches) {
        all.push_back(std::move(part));
      } else if (part.ids.to.empty() ||
                 (!all.back().ids.to.empty() && part.ids.to > all.back().ids.to)) {
        all.back().ids.to = std::move(part.ids.to);
      }
    }
    return all;
  }

  MailRepairOptions options_;
  std::vector<RepairPart> parts_;
  bool whole_ = false;
};

/// Mailboxes whose row is to be looked for in the originals: it may be lost, or an earlier one.
class Sought {
 public:
  explicit Sought(const MailRepairOptions& options) : options_(options) {}

  bool operator()(const ChannelId& id) const {
    if (!options_.parts) return true;
    const std::uint8_t shard = bus::shard_of(id);
    const std::string bytes = box_key(shard, id).substr(kPartIdAt);
    return std::ranges::any_of(*options_.parts, [&](const RepairPart& part) {
      return part.shard == shard && part.ids.from <= bytes &&
             (part.ids.to.empty() || bytes < part.ids.to);
    });
  }

 private:
  const MailRepairOptions& options_;
};

std::string bytes_text(const storage::DamageNote& note) {
  if (note.to <= note.from) return note.file;
  if (note.to == note.from + 1) return note.file + ", byte " + std::to_string(note.from);
  return note.file + ", bytes " + std::to_string(note.from) + " to " + std::to_string(note.to);
}

std::string heading_of(const storage::DamageNote& note) {
  std::string text = bytes_text(note) + ": " + note.reason;
  if (!note.lost) return text + "; nothing is lost";
  if (note.operations != 0) {
    text += "; " + std::to_string(note.operations) + " row writes are lost";
  }
  if (note.elsewhere) text += "; some or all of the mailboxes are not known";
  return text;
}

}  // namespace

MailRepairOptions options_of(const std::vector<storage::DamageNote>& notes) {
  return PlanMaker().run(notes);
}

void name_boxes(const std::filesystem::path& folder, std::vector<storage::DamageNote>& notes) {
  for (storage::DamageNote& note : notes) {
    if (!is_open(note) || !is_of_log(note) || note.to <= note.from) continue;
    const std::string bytes = text_of_file(folder / "lost" / note.file);
    if (bytes.size() < note.to) continue;
    BoxSearch search([](const ChannelId&) { return true; });
    search.read(std::string_view(bytes).substr(note.from, note.to - note.from));
    for (const auto& [id, found] : search.found()) {
      const std::string key = box_key(bus::shard_of(id), id);
      Range range{key, key + '\0'};
      const bool known = std::ranges::find(note.ranges, range) != note.ranges.end();
      if (found.verified && !known && note.ranges.size() < storage::kNoteRanges) {
        note.ranges.push_back(std::move(range));
      }
    }
  }
}

std::vector<std::string> originals_of(const std::vector<storage::DamageNote>& notes) {
  std::set<std::string> names;
  for (const storage::DamageNote& note : notes) {
    if (is_open(note)) names.insert(note.file);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> describe(const storage::Snapshot& snapshot,
                                  const std::vector<storage::DamageNote>& notes, std::size_t most) {
  std::vector<std::string> texts;
  for (const storage::DamageNote& note : notes) {
    std::string text = heading_of(note);
    std::set<std::string> names;
    bool more = false;
    for (const Range& range : note.ranges) {
      if (!note.lost || more) break;
      const std::string to = range.to.empty() ? std::string(1, '\xff') : range.to;
      const auto found = name_damage(snapshot, {note.file, range.from, to, note.reason}, most);
      const auto key = read_mail_key(range.from);
      std::vector<std::string> of_range;
      for (const Finding& finding : found ? *found : std::vector<Finding>()) {
        if (finding.id) of_range.push_back(finding.where());
      }
      // A single key may be of a mailbox that is not there any more.
      if (of_range.empty() && key && range.to == range.from + '\0') {
        of_range.push_back("mailbox " + key->id.to_string());
      }
      for (std::string& name : of_range) {
        if (names.size() < most) names.insert(std::move(name));
      }
      more = names.size() == most;
    }
    for (const std::string& name : names)
      text += (&name == &*names.begin() ? "; of " : ", ") + name;
    if (more) text += ", and more";
    texts.push_back(std::move(text));
  }
  return texts;
}

storage::Result<NotedRepair> repair_noted(storage::Store& store,
                                          const storage::StoreOptions& options,
                                          const std::function<bool(const RepairStep&)>& tell) {
  NotedRepair done;
  auto notes = storage::read_damage(options);
  if (!notes) return notes.error();
  if (std::ranges::none_of(*notes, is_open)) return done;
  name_boxes(options.folder, *notes);
  MailRepairOptions repair = options_of(*notes);
  const Sought sought(repair);
  BoxSearch search(sought);
  if (!repair.parts) search.read_folder(options.folder / "lost");
  for (const std::string& name : originals_of(*notes)) {
    if (repair.parts) search.read_file(options.folder / "lost" / name);
  }
  repair.search = &search;
  repair.on_step = [&](const RepairStep& step) {
    ++done.steps;
    if (step.action == RepairAction::lost) done.lost += step.last - step.first + 1;
    return tell(step);
  };
  if (auto repaired = repair_mail(store, repair); !repaired) return repaired.error();
  if (auto settled = storage::settle_damage(options, std::move(*notes)); !settled)
    return settled.error();
  return done;
}

}  // namespace starbus::mail
