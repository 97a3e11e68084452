#include "mail/repair/box_audit.hpp"

#include <utility>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "mail/lost_row.hpp"
#include "mail/row_keys.hpp"

namespace starbus::mail {

using State = BoxWalk::State;

BoxAudit::BoxAudit(std::uint8_t shard, const BoxWalk::Box& box, const Sink& sink)
    : shard_(shard), box_(box), sink_(sink) {
  if (bus::shard_of(box.id) != shard) {
    add(Problem::wrong_shard, 0, 0, "it belongs to " + shard_name(bus::shard_of(box.id)));
  }
  if (box.state == State::sound) check_row();
}

void BoxAudit::check_row() {
  expected_ = box_.row.floor + 1;
  total_ = box_.row.floor_total;
  if (box_.row.name.empty()) {
    add(Problem::wrong_name, 0, 0, "no name: the mailbox is sealed");
  } else if (channel_id(box_.row.name) != box_.id) {
    add(Problem::wrong_name, 0, 0, storage::printable(box_.row.name));
  }
}

void BoxAudit::add(Problem problem, std::uint64_t first, std::uint64_t last, std::string detail) {
  const std::string name = channel_id(box_.row.name) == box_.id ? box_.row.name : "";
  sink_({problem, shard_, box_.id, name, first, last, std::move(detail)});
}

/// Numbers that follow each other for the same reason are one finding.
void BoxAudit::extend(Problem problem, std::optional<Run>& run, std::uint64_t first,
                      std::uint64_t last, const std::string& detail) {
  if (run && run->last + 1 == first && run->detail == detail) {
    run->last = last;
    return;
  }
  if (run) add(problem, run->first, run->last, run->detail);
  run = Run{first, last, detail};
}

/// All that is expected below `end` is not there.
void BoxAudit::lose_up_to(std::uint64_t end, const std::string& detail) {
  if (expected_ >= end) return;
  extend(Problem::lost_messages, lost_, expected_, end - 1, detail);
  expected_ = end;
  total_is_known_ = false;
}

void BoxAudit::message(const ScannedRow& row) {
  const std::uint64_t number = read_mail_key(row.key)->number;
  if (lowest_ == 0) lowest_ = number;
  highest_ = number;
  const bool damaged = row.damage.code != storage::Errc::ok;
  const auto decoded = damaged ? std::nullopt : decode_message(row.value);
  if (decoded) {
    ++messages_;
    bytes_ += decoded->body.size();
  }
  if (box_.state != State::sound) return;
  if (number <= box_.row.floor || number > box_.row.last) {
    extend(Problem::stray_messages, stray_, number, number,
           number <= box_.row.floor ? "the mailbox begins at " + std::to_string(box_.row.floor + 1)
                                    : "the mailbox ends at " + std::to_string(box_.row.last));
    return;
  }
  lose_up_to(number, "no such row");
  if (decoded) return in_place(number, *decoded);
  lose_up_to(number + 1, damaged ? row.damage.detail : "not the row of a message");
}

void BoxAudit::in_place(std::uint64_t number, const MessageRow& row) {
  if (is_lost(row)) {
    extend(Problem::lost_before, lost_before_, number, number, "");
    total_is_known_ = false;
  }
  const std::uint64_t least = total_ + row.body.size();
  if (total_is_known_ ? row.total != least : row.total < least) {
    add(Problem::wrong_total, number, number,
        std::to_string(row.total) + " bytes and not " + std::to_string(least));
  }
  total_ = row.total;
  total_is_known_ = true;
  expected_ = number + 1;
}

void BoxAudit::post_key(const ScannedRow& row) {
  if (row.damage.code != storage::Errc::ok) {
    return add(Problem::damaged_row, 0, 0, "an idempotency key: " + row.damage.detail);
  }
  const auto decoded = decode_key(row.value);
  if (!decoded) return add(Problem::bad_row, 0, 0, "not the row of an idempotency key");
  if (box_.state == State::sound && (decoded->number == 0 || decoded->number > box_.row.last)) {
    add(Problem::wrong_post_key, decoded->number, decoded->number,
        "the mailbox ends at " + std::to_string(box_.row.last));
  }
}

void BoxAudit::finish() {
  if (box_.state != State::sound) {
    const std::string why = box_.state == State::missing   ? "it is missing"
                            : box_.state == State::damaged ? box_.damage.detail
                                                           : "it is not the row of a mailbox";
    return add(Problem::no_box_row, lowest_, highest_,
               why + "; " + std::to_string(messages_) + " of its messages can be read");
  }
  lose_up_to(box_.row.last + 1, "no such row");
  if (total_is_known_ && total_ != box_.row.total) {
    add(Problem::wrong_total, 0, 0,
        "the mailbox counts " + std::to_string(box_.row.total) + " bytes, its messages " +
            std::to_string(total_));
  }
  const auto end = [this](Problem problem, const std::optional<Run>& run) {
    if (run) add(problem, run->first, run->last, run->detail);
  };
  end(Problem::lost_messages, lost_);
  end(Problem::stray_messages, stray_);
  end(Problem::lost_before, lost_before_);
}

}  // namespace starbus::mail
