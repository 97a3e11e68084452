#include "mail/repair/repair_mail.hpp"

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/shard_list.hpp"
#include "mail/repair/box_repair.hpp"
#include "mail/row_keys.hpp"

namespace starbus::mail {
namespace {

struct ActionRow {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array kActions = {
#define X(action, meaning) ActionRow{#action, meaning},
    STARBUS_MAIL_REPAIR_ACTIONS(X)
#undef X
};

class StoreMend {
 public:
  StoreMend(storage::Store& store, const storage::Snapshot& snapshot,
            const MailRepairOptions& options)
      : store_(store), snapshot_(snapshot), options_(options), writer_(store) {}

  storage::Result<> run() {
    if (auto told = places(); !told) return told;
    if (options_.parts) return run_parts();
    CheckProgress progress;
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      progress.shard = static_cast<std::uint8_t>(shard);
      if (options_.on_progress && !options_.on_progress(progress)) return ended();
      const auto here = is_here(progress.shard);
      if (!here) return here.error();
      if (!*here) continue;
      totals_ = {};
      if (auto repaired = boxes(progress.shard, {}); !repaired) return repaired;
      if (auto repaired = vanished(progress.shard); !repaired) return repaired;
      if (auto repaired = streams(progress.shard); !repaired) return repaired;
      progress.boxes += totals_.boxes;
      progress.messages += totals_.messages;
    }
    return writer_.flush();
  }

 private:
  static storage::Error ended() { return {storage::Errc::closed, "the repair was ended"}; }

  /// As the check does it: a shard that has moved away, or has not arrived completely, has lost
  /// nothing here, and rows from old files must not come back.
  storage::Result<bool> is_here(std::uint8_t shard) const {
    const auto value = snapshot_.get(place_key(shard));
    if (!value && value.error() != storage::Errc::corrupt) return value.error();
    const auto row = value && *value ? decode_place(**value) : std::nullopt;
    return !row || mail::is_here(*row);
  }

  storage::Result<> run_parts() {
    std::bitset<kShards> touched = options_.void_streams;
    std::bitset<kShards> looked;
    for (const RepairPart& part : *options_.parts) {
      const auto here = is_here(part.shard);
      if (!here) return here.error();
      if (!*here) continue;
      touched.set(part.shard);
      looked.set(part.shard);
      if (auto repaired = boxes(part.shard, part.ids); !repaired) return repaired;
    }
    for (std::size_t i = 0; i < kShards; ++i) {
      const auto shard = static_cast<std::uint8_t>(i);
      if (looked.test(i)) {
        if (auto repaired = vanished(shard); !repaired) return repaired;
      }
    }
    if (auto flushed = writer_.flush(); !flushed) return flushed;
    for (std::size_t i = 0; i < kShards; ++i) {
      const auto shard = static_cast<std::uint8_t>(i);
      const auto here = touched.test(i) ? is_here(shard) : storage::Result<bool>(false);
      if (!here) return here.error();
      if (!*here) continue;
      if (auto counted = count(shard); !counted) return counted;
      if (auto repaired = streams(shard); !repaired) return repaired;
    }
    return writer_.flush();
  }

  /// The sums of a shard, from the rows of its mailboxes as they are now.
  storage::Result<> count(std::uint8_t shard) {
    totals_ = {};
    const auto now = store_.snapshot();
    if (!now) return now.error();
    const std::string prefix = kind_prefix(kBoxRows, shard);
    RowCursor cursor(**now, prefix, prefix_end(prefix));
    for (;; cursor.step()) {
      const auto row = cursor.row();
      if (!row) return row.error();
      if (*row == nullptr) return {};
      const auto box = decode_box((*row)->value);
      if ((*row)->damage.code == storage::Errc::ok && box) totals_.add(*box);
    }
  }

  /// Reports what cannot be repaired: a shard that another host has, and whose mark is lost, would
  /// be served here, too.
  storage::Result<> places() {
    std::vector<std::uint8_t> unknown;
    for (std::size_t i = 0; i < kShards; ++i) {
      const auto shard = static_cast<std::uint8_t>(i);
      const auto value = snapshot_.get(place_key(shard));
      if (!value && value.error() != storage::Errc::corrupt) return value.error();
      const bool readable = value && *value && decode_place(**value);
      const bool there = !value || *value;
      if ((there && !readable) || (!there && options_.lost_places.test(i))) {
        unknown.push_back(shard);
      }
    }
    if (unknown.empty()) return {};
    RepairStep step{RepairAction::place_unknown, unknown.front()};
    step.detail = "of the shards " + bus::shards_text(unknown);
    return options_.on_step(step) ? storage::Result<>() : ended();
  }

  const FoundBox* found(const ChannelId& id) const {
    return options_.search == nullptr ? nullptr : options_.search->find(id);
  }

  storage::Result<> boxes(std::uint8_t shard, const IdRange& ids) {
    BoxWalk walk(snapshot_, shard, {}, ids);
    for (;;) {
      const auto box = walk.next();
      if (!box) return box.error();
      if (*box == nullptr) return {};
      const ChannelId& id = (*box)->id;
      if (bus::shard_of(id) != shard) continue;
      const FoundBox* const in_files = found(id);
      if (in_files != nullptr) met_.insert(id);
      const auto given = options_.given.find(id);
      BoxRepair repair(shard, **box, {in_files, given == options_.given.end() ? 0 : given->second},
                       writer_, options_.on_step);
      if (auto fed = feed(walk, repair); !fed) return fed;
      totals_.add(repair.row());
    }
  }

  static storage::Result<> feed(BoxWalk& walk, BoxRepair& repair) {
    for (;;) {
      const auto message = walk.next_message();
      if (!message) return message.error();
      if (*message == nullptr) break;
      if (auto repaired = repair.message(**message); !repaired) return repaired;
    }
    for (;;) {
      const auto key = walk.next_post_key();
      if (!key) return key.error();
      if (*key == nullptr) break;
      if (auto repaired = repair.post_key(**key); !repaired) return repaired;
    }
    return repair.finish();
  }

  /// Mailboxes of which only old rows in files are left: their numbers stay used.
  storage::Result<> vanished(std::uint8_t shard) {
    if (options_.search == nullptr) return {};
    for (const auto& [id, box] : options_.search->found()) {
      if (bus::shard_of(id) != shard || met_.contains(id) || !box.verified) continue;
      BoxRow row = box.row;
      const std::uint64_t first = std::exchange(row.floor, row.last) + 1;
      row.floor_total = row.total;
      RepairStep step{RepairAction::rebuilt, shard, id, row.name, 0, row.last};
      step.detail = "none of its messages is left";
      if (!options_.on_step(step)) return ended();
      if (first <= row.last &&
          !options_.on_step({RepairAction::lost, shard, id, row.name, first, row.last})) {
        return ended();
      }
      if (auto put = writer_.put(box_key(shard, id), encode(row)); !put) return put;
      totals_.add(row);
    }
    return {};
  }

  /// The shard's own row, and the rows of its senders. A stream with an unknown `last` could store
  /// messages twice: so all streams of the shard become void, by a new lineage.
  storage::Result<> streams(std::uint8_t shard) {
    bool lost = options_.void_streams.test(shard);
    for (const char kind : {kStreamRows, kResultsRows}) {
      const auto erased = erase_unreadable(shard, kind);
      if (!erased) return erased.error();
      lost |= *erased;
    }
    const auto value = snapshot_.get(shard_key(shard));
    if (!value && value.error() != storage::Errc::corrupt) return value.error();
    if (value && !*value && totals_.boxes == 0) return {};  // nobody ever posted to it
    auto row = value && *value ? decode_shard(**value) : ShardRow{};
    lost |= !row || !value;
    if (!row) row.emplace();
    if (lost && row->lineage.value != 0) row->lineage = {};
    if (lost && !options_.on_step({RepairAction::void_streams, shard})) return ended();
    if (!lost && row->totals == totals_) return {};
    if (!lost && !options_.on_step({RepairAction::counted, shard})) return ended();
    row->totals = totals_;
    return writer_.put(shard_key(shard), encode(*row));
  }

  storage::Result<bool> erase_unreadable(std::uint8_t shard, char kind) {
    const std::string prefix = kind_prefix(kind, shard);
    RowCursor cursor(snapshot_, prefix, prefix_end(prefix));
    bool any = false;
    for (;; cursor.step()) {
      const auto row = cursor.row();
      if (!row) return row.error();
      if (*row == nullptr) return any;
      if (is_readable(kind, **row)) continue;
      any = true;
      if (auto erased = writer_.erase((*row)->key); !erased) return erased.error();
    }
  }

  static bool is_readable(char kind, const ScannedRow& row) {
    std::vector<PostResult> results;
    if (row.damage.code != storage::Errc::ok || !read_stream_key(row.key)) return false;
    return kind == kStreamRows ? decode_stream(row.value).has_value()
                               : decode_results(row.value, results);
  }

  storage::Store& store_;
  const storage::Snapshot& snapshot_;
  const MailRepairOptions& options_;
  storage::BulkWriter writer_;
  Totals totals_;                             // of the shard, as it will be
  boost::unordered_flat_set<ChannelId> met_;  // of those that were found in files
};

}  // namespace

std::string_view name_of(RepairAction action) {
  return kActions.at(static_cast<std::size_t>(action)).name;
}

std::string_view meaning_of(RepairAction action) {
  return kActions.at(static_cast<std::size_t>(action)).meaning;
}

std::string RepairStep::to_string() const {
  std::string text = !name.empty() ? name : id ? "mailbox " + id->to_string() : shard_name(shard);
  text += ": " + std::string(name_of(action));
  if (first != 0) text += " " + std::to_string(first);
  if (last > first) text += (first == 0 ? " up to " : " to ") + std::to_string(last);
  return detail.empty() ? text : text + ": " + detail;
}

storage::Result<> repair_mail(storage::Store& store, const MailRepairOptions& options) {
  const auto snapshot = store.snapshot();
  if (!snapshot) return snapshot.error();
  return StoreMend(store, **snapshot, options).run();
}

}  // namespace starbus::mail
