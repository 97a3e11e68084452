#include "mail/repair/box_repair.hpp"

#include <algorithm>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "mail/lost_row.hpp"
#include "mail/row_keys.hpp"

namespace starbus::mail {
namespace {

/// Whether the files have a later row than the store, which has lost some writes: as it was
/// written, and its numbers were given.
bool is_later(const FoundBox& found, const BoxRow& row) {
  return found.verified && found.row.last >= row.last && found.row.floor >= row.floor &&
         found.row.total >= row.total && found.row.reader.value >= row.reader.value &&
         found.row.kind == row.kind && found.row.name == row.name;
}

/// Of a mailbox whose row cannot be read: what the files had, else one that begins with nothing.
BoxRow first_guess(const BoxWalk::Box& box, const FoundBox* found) {
  if (box.state == BoxWalk::State::sound) {
    return found != nullptr && is_later(*found, box.row) ? found->row : box.row;
  }
  if (found == nullptr) return {};
  if (found->verified) return found->row;
  return BoxRow{found->row.kind, found->row.name};  // of the rest one bit is wrong
}

/// One that is far away is rather a key that was damaged.
std::uint64_t number_given(std::uint64_t last, std::uint64_t given) {
  return given > last && given - last <= kMostUnknown ? given : last;
}

}  // namespace

BoxRepair::BoxRepair(std::uint8_t shard, const BoxWalk::Box& box, const Known& known,
                     storage::BulkWriter& writer, const Tell& tell)
    : shard_(shard),
      box_(box),
      found_(known.found),
      writer_(writer),
      tell_(tell),
      rebuilt_(box.state != BoxWalk::State::sound),
      row_(first_guess(box, known.found)),
      given_(number_given(row_.last, known.given)),
      expected_(row_.floor + 1),
      total_(row_.floor_total) {}

RepairStep BoxRepair::about(RepairAction action, std::uint64_t first, std::uint64_t last) const {
  const bool named = channel_id(row_.name) == box_.id;
  return {action, shard_, box_.id, named ? row_.name : "", first, last};
}

storage::Result<> BoxRepair::say(const RepairStep& step) {
  if (!tell_(step)) return storage::Error(storage::Errc::closed, "the repair was ended");
  return {};
}

storage::Result<> BoxRepair::message(const ScannedRow& scanned) {
  const std::uint64_t number = read_mail_key(scanned.key)->number;
  const bool damaged = scanned.damage.code != storage::Errc::ok;
  const auto row = damaged ? std::nullopt : decode_message(scanned.value);
  if (number < expected_) return drop(number, row, scanned);
  if (!row) return writer_.erase(scanned.key);  // its place is filled when the next one is met
  if (number > row_.last) {
    const bool far = number - row_.last > kMostMarked;
    if (number > kMostNumber || (far && !(rebuilt_ && !kept_any_))) {
      RepairStep left = about(RepairAction::left, number, number);
      left.detail = "far after the latest number, " + std::to_string(row_.last);
      return say(left);
    }
    if (!rebuilt_ && counted_in_ == 0) counted_in_ = row_.last + 1;
    row_.last = number;
  }
  const bool counts = row->total >= row->body.size() && row->total <= kMostNumber;
  const std::uint64_t before = counts ? std::max(total_, row->total - row->body.size()) : total_;
  const auto filled = fill_hole(number, before);
  if (!filled) return filled.error();
  if (!*filled) return {};
  return keep(number, *row);
}

/// It was acknowledged before: what had erased it is lost.
storage::Result<> BoxRepair::drop(std::uint64_t number, const std::optional<MessageRow>& row,
                                  const ScannedRow& scanned) {
  if (row && !is_lost(*row)) {
    RepairStep step = about(RepairAction::acknowledged, number, number);
    step.body = row->body;
    step.time_ms = row->time_ms;
    if (auto said = say(step); !said) return said;
  }
  return writer_.erase(scanned.key);
}

/// All from `expected_` up to `end` are gone. False: too many to be marked.
storage::Result<bool> BoxRepair::fill_hole(std::uint64_t end, std::uint64_t total_before) {
  if (expected_ >= end) return true;
  // Of a row that is made anew nobody knows where the mailbox began: these were acknowledged.
  const bool known = !rebuilt_ || kept_any_ || (found_ != nullptr && found_->verified);
  const std::uint64_t count = end - expected_;
  // Where its row says where it begins, they are told to its reader; otherwise, or if they are too
  // many, it begins behind them.
  const bool marked = kept_any_ || (!rebuilt_ && count <= kMostMarked);
  if (kept_any_ && count > kMostMarked) {
    RepairStep left = about(RepairAction::left, expected_, end - 1);
    left.detail = "too many are missing to be marked as lost";
    if (auto said = say(left); !said) return said.error();
    return false;
  }
  if (known) {
    RepairStep lost = about(RepairAction::lost, expected_, end - 1);
    if (rebuilt_ && !kept_any_) lost.detail = "or acknowledged: only an earlier row was found";
    if (auto said = say(lost); !said) return said.error();
  }
  for (; marked && expected_ < end; ++expected_) {
    const auto put =
        writer_.put(message_key(shard_, box_.id, expected_), encode(lost_row(total_before)));
    if (!put) return put.error();
  }
  if (!marked) {
    // Nothing before it can be read: the mailbox begins here.
    row_.floor = end - 1;
    row_.floor_total = total_before;
    expected_ = end;
  }
  total_ = total_before;
  kept_any_ = kept_any_ || marked;
  return true;
}

storage::Result<> BoxRepair::keep(std::uint64_t number, const MessageRow& row) {
  // A row that an earlier repair has marked keeps what it says of the bytes that are lost.
  if (is_lost(row) && row.total <= kMostNumber) total_ = std::max(total_, row.total);
  total_ += row.body.size();
  expected_ = number + 1;
  kept_any_ = true;
  if (row.total == total_) return {};
  recounted_ = true;
  MessageRow right = row;
  right.total = total_;
  return writer_.put(message_key(shard_, box_.id, number), encode(right));
}

storage::Result<> BoxRepair::post_key(const ScannedRow& scanned) {
  const bool damaged = scanned.damage.code != storage::Errc::ok;
  const auto row = damaged ? std::nullopt : decode_key(scanned.value);
  if (row && rebuilt_ && row->number - 1 < kMostMarked + row_.last) {
    row_.last = std::max(row_.last, row->number);  // that number was given
    return {};
  }
  if (row && row->number != 0 && row->number <= row_.last) return {};
  if (auto said = say(about(RepairAction::erased_key)); !said) return said;
  return writer_.erase(scanned.key);
}

storage::Result<> BoxRepair::repair_name() {
  if (channel_id(row_.name) == box_.id) return {};
  if (found_ == nullptr) {
    if (!rebuilt_) return {};
    row_.name.clear();
    return {};
  }
  row_.name = found_->row.name;
  return rebuilt_ ? storage::Result<>() : say(about(RepairAction::renamed));
}

storage::Result<> BoxRepair::finish() {
  // In a mailbox whose end is lost the bytes that it counts are kept.
  row_.last = std::max(row_.last, given_);
  const bool end_lost = expected_ <= row_.last;
  const auto filled = fill_hole(row_.last + 1, end_lost ? std::max(total_, row_.total) : total_);
  if (!filled) return filled.error();
  if (!*filled) return {};
  if (!rebuilt_ && row_.total != total_ && counted_in_ == 0) recounted_ = true;
  row_.total = total_;
  if (auto named = repair_name(); !named) return named;
  if (counted_in_ != 0) {
    if (auto said = say(about(RepairAction::counted_in, counted_in_, row_.last)); !said)
      return said;
  }
  if (recounted_) {
    if (auto said = say(about(RepairAction::counted)); !said) return said;
  }
  if (rebuilt_) {
    const bool named = !row_.name.empty();
    RepairStep step =
        about(named ? RepairAction::rebuilt : RepairAction::sealed, row_.floor + 1, row_.last);
    if (found_ == nullptr) step.detail = "taken for a mailbox, and not for a log";
    if (auto said = say(step); !said) return said;
  }
  return writer_.put(box_key(shard_, box_.id), encode(row_));
}

}  // namespace starbus::mail
