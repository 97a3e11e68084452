#include "mail/repair/check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bus/core/wire/post_head.hpp"
#include "mail/repair/box_audit.hpp"
#include "mail/row_keys.hpp"

namespace starbus::mail {
namespace {

constexpr std::size_t kStreamKeyBytes = 2 + 16 + 1;  // bytes
constexpr std::size_t kResultsKeyBytes = kStreamKeyBytes + 8;

class StoreCheck {
 public:
  StoreCheck(const storage::Snapshot& snapshot, const OnProgress& progress)
      : snapshot_(snapshot), progress_(progress) {}

  storage::Result<CheckReport> run() {
    if (auto checked = unknown_rows(); !checked) return checked.error();
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      const auto number = static_cast<std::uint8_t>(shard);
      if (progress_ && !progress_({number, report_.totals.boxes, report_.totals.messages})) break;
      if (auto checked = check_shard(number); !checked) return checked.error();
    }
    report_blocks();
    return std::move(report_);
  }

 private:
  storage::Result<> check_shard(std::uint8_t shard) {
    Totals kept;
    const auto here = is_here(shard);
    if (!here) return here.error();
    if (!*here) return {};
    if (auto checked = boxes(shard, kept); !checked) return checked;
    if (auto checked = shard_row(shard, kept); !checked) return checked;
    if (auto checked = streams(shard, kStreamRows); !checked) return checked;
    return streams(shard, kResultsRows);
  }

  storage::Result<> boxes(std::uint8_t shard, Totals& kept) {
    const BoxAudit::Sink sink = [this](Finding finding) { report_.add(std::move(finding)); };
    BoxWalk walk(snapshot_, shard, [&](const std::string& key) {
      add(Problem::bad_key, shard, storage::printable(key));
    });
    for (;;) {
      const auto box = walk.next();
      if (!box) return box.error();
      if (*box == nullptr) break;
      BoxAudit audit(shard, **box, sink);
      if (auto read = feed(walk, audit); !read) return read;
      const bool counts =
          (*box)->state == BoxWalk::State::sound && bus::shard_of((*box)->id) == shard;
      if (counts) kept.add((*box)->row);
      ++report_.totals.boxes;
      report_.totals.messages += audit.messages();
      report_.totals.bytes += audit.bytes();
    }
    keep(walk.blocks());
    return {};
  }

  static storage::Result<> feed(BoxWalk& walk, BoxAudit& audit) {
    for (;;) {
      const auto message = walk.next_message();
      if (!message) return message.error();
      if (*message == nullptr) break;
      audit.message(**message);
    }
    for (;;) {
      const auto key = walk.next_post_key();
      if (!key) return key.error();
      if (*key == nullptr) break;
      audit.post_key(**key);
    }
    audit.finish();
    return {};
  }

  /// False: what lies here of it is worth nothing, since another store has it.
  storage::Result<bool> is_here(std::uint8_t shard) {
    const auto value = snapshot_.get(place_key(shard));
    const std::string what = "where " + shard_name(shard) + " is kept";
    if (!value && value.error() != storage::Errc::corrupt) return value.error();
    if (!value) add(Problem::damaged_row, shard, what + ": " + value.error().detail);
    if (!value || !value->has_value()) return true;
    const auto row = decode_place(**value);
    if (!row) add(Problem::bad_row, shard, what);
    return !row || mail::is_here(*row);
  }

  storage::Result<> shard_row(std::uint8_t shard, const Totals& kept) {
    const auto value = snapshot_.get(shard_key(shard));
    const std::string what = "the row of " + shard_name(shard);
    if (!value && value.error() != storage::Errc::corrupt) return value.error();
    if (!value) {
      add(Problem::damaged_row, shard, what + ": " + value.error().detail);
      return {};
    }
    if (!value->has_value()) return {};
    const auto row = decode_shard(**value);
    if (!row) {
      add(Problem::bad_row, shard, what);
      return {};
    }
    const Totals& totals = row->totals;
    if (totals != kept) {
      add(Problem::wrong_shard_row, shard,
          shard_name(shard) + " counts " + std::to_string(totals.messages) + " messages in " +
              std::to_string(totals.boxes) + " mailboxes; there are " +
              std::to_string(kept.messages) + " in " + std::to_string(kept.boxes));
    }
    return {};
  }

  storage::Result<> streams(std::uint8_t shard, char kind) {
    const std::string prefix = kind_prefix(kind, shard);
    RowCursor cursor(snapshot_, prefix, prefix_end(prefix));
    for (;; cursor.step()) {
      const auto row = cursor.row();
      if (!row) return row.error();
      if (*row == nullptr) break;
      check_stream_row(shard, kind, **row);
    }
    keep(cursor.blocks());
    return {};
  }

  void check_stream_row(std::uint8_t shard, char kind, const ScannedRow& row) {
    const std::string what = "a sender's stream to " + shard_name(shard);
    if (row.damage.code != storage::Errc::ok) {
      return add(Problem::damaged_row, shard, what + ": " + row.damage.detail);
    }
    if (row.key.size() != (kind == kStreamRows ? kStreamKeyBytes : kResultsKeyBytes)) {
      return add(Problem::bad_key, shard, storage::printable(row.key));
    }
    std::vector<PostResult> results;
    const bool good = kind == kStreamRows ? decode_stream(row.value).has_value()
                                          : decode_results(row.value, results);
    if (!good) add(Problem::bad_row, shard, what);
  }

  /// Between the kinds that are known.
  storage::Result<> unknown_rows() {
    std::string from(1, '\x01');
    for (std::size_t i = 0; i <= kRowKinds.size(); ++i) {
      const bool last = i == kRowKinds.size();
      const std::string to = last ? std::string() : std::string(1, kRowKinds[i]);
      if (auto counted = count_unknown(from, to); !counted) return counted;
      if (!last) from = prefix_end(to);
    }
    return {};
  }

  storage::Result<> count_unknown(const std::string& from, const std::string& to) {
    if (from == to) return {};
    std::uint64_t count = 0;
    char kind = 0;
    const auto end_of_kind = [&] {
      if (count == 0) return;
      add(Problem::unknown_rows, 0,
          std::to_string(count) + " rows of kind '" + storage::printable({&kind, 1}) + "'");
      count = 0;
    };
    RowCursor cursor(snapshot_, from, to);
    for (;; cursor.step()) {
      const auto row = cursor.row();
      if (!row) return row.error();
      if (*row == nullptr) break;
      if ((*row)->key.front() != kind) end_of_kind();
      kind = (*row)->key.front();
      ++count;
    }
    end_of_kind();
    keep(cursor.blocks());
    return {};
  }

  void add(Problem problem, std::uint8_t shard, std::string detail) {
    report_.add({.problem = problem, .shard = shard, .detail = std::move(detail)});
  }

  /// A block may hold rows of many shards and kinds: each scan says its part.
  void keep(const std::vector<DamagedBlock>& blocks) {
    std::ranges::copy(blocks, std::back_inserter(blocks_));
    if (blocks_.size() > 2 * kDamagedBlocks) merge_blocks(blocks_);
  }

  void report_blocks() {
    merge_blocks(blocks_);
    for (const DamagedBlock& block : blocks_) {
      add(Problem::damaged_block, 0,
          "between " + describe_key(block.from) + " and " +
              (block.to.empty() ? "the end" : describe_key(block.to)) + ": " + block.reason);
    }
    report_.blocks = std::move(blocks_);
  }

  const storage::Snapshot& snapshot_;
  const OnProgress& progress_;
  CheckReport report_;
  std::vector<DamagedBlock> blocks_;
};

}  // namespace

void CheckReport::add(Finding finding) {
  if (is_note(finding.problem)) {
    ++notes;
  } else {
    ++problems;
  }
  // Of a mailbox they come as what is lost: the rows themselves are damage to be dropped.
  const bool is_damage =
      finding.problem == Problem::damaged_block || finding.problem == Problem::damaged_row;
  if (is_damage) ++damage;
  if (findings.size() < kMostFindings) findings.push_back(std::move(finding));
}

storage::Result<CheckReport> check_store(const storage::Snapshot& snapshot,
                                         const OnProgress& progress) {
  return StoreCheck(snapshot, progress).run();
}

}  // namespace starbus::mail
