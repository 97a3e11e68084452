#include "mail/repair/box_walk.hpp"

#include <algorithm>
#include <utility>

#include "mail/row_keys.hpp"

namespace starbus::mail {
namespace {

/// Rows of a mailbox in the order of their keys: as the ids lie there.
std::string_view id_in(const ScannedRow& row) {
  return std::string_view(row.key).substr(2, 16);
}

std::string id_bytes(std::uint8_t shard, const ChannelId& id) {
  return box_key(shard, id).substr(2);
}

}  // namespace

BoxWalk::BoxWalk(const storage::Snapshot& snapshot, std::uint8_t shard, BadKey bad_key,
                 const IdRange& ids)
    : snapshot_(snapshot),
      shard_(shard),
      bad_key_(std::move(bad_key)),
      boxes_(part(kBoxRows, ids)),
      messages_(part(kMessageRows, ids)),
      post_keys_(part(kPostKeyRows, ids)) {}

BoxWalk::Part BoxWalk::part(char kind, const IdRange& ids) const {
  const std::string prefix = kind_prefix(kind, shard_);
  const std::string end = ids.to.empty() ? prefix_end(prefix) : prefix + ids.to;
  return {RowCursor(snapshot_, prefix + ids.from, end), false};
}

/// The row that the part stands on, past those that were given out or are not of their form.
storage::Result<const ScannedRow*> BoxWalk::at(Part& part) {
  if (std::exchange(part.taken, false)) part.cursor.step();
  for (;;) {
    const auto row = part.cursor.row();
    if (!row || *row == nullptr || read_mail_key((*row)->key)) return row;
    if (bad_key_) bad_key_((*row)->key);
    part.cursor.step();
  }
}

storage::Result<const ScannedRow*> BoxWalk::next_of(Part& part) {
  const auto row = at(part);
  if (!row || *row == nullptr) return row;
  if (!box_ || id_in(**row) != id_bytes(shard_, box_->id)) return nullptr;
  part.taken = true;
  return row;
}

storage::Result<const ScannedRow*> BoxWalk::next_message() {
  return next_of(messages_);
}

storage::Result<const ScannedRow*> BoxWalk::next_post_key() {
  return next_of(post_keys_);
}

storage::Result<> BoxWalk::finish() {
  for (Part* const part : {&messages_, &post_keys_}) {
    for (;;) {
      const auto row = next_of(*part);
      if (!row) return row.error();
      if (*row == nullptr) break;
    }
  }
  return {};
}

storage::Result<const BoxWalk::Box*> BoxWalk::next() {
  if (box_) {
    if (auto finished = finish(); !finished) return finished.error();
    box_.reset();
  }
  const ScannedRow* first = nullptr;
  const ScannedRow* box = nullptr;
  for (Part* const part : {&boxes_, &messages_, &post_keys_}) {
    const auto row = at(*part);
    if (!row) return row.error();
    if (*row == nullptr) continue;
    if (first == nullptr || id_in(**row) < id_in(*first)) first = *row;
    if (part == &boxes_) box = *row;
  }
  if (first == nullptr) return nullptr;
  box_ = Box{};
  box_->id = read_mail_key(first->key)->id;
  const bool has_row = box != nullptr && id_in(*box) == id_in(*first);
  if (auto read = read_box(has_row ? box : nullptr); !read) return read.error();
  boxes_.taken = has_row;
  return &*box_;
}

storage::Result<> BoxWalk::read_box(const ScannedRow* row) {
  if (row == nullptr) {
    // Its block may be damaged: then it is there, and cannot be read.
    const auto value = snapshot_.get(box_key(shard_, box_->id));
    if (value) return {};
    if (value.error() != storage::Errc::corrupt) return value.error();
    box_->damage = value.error();
  } else if (row->damage.code != storage::Errc::ok) {
    box_->damage = row->damage;
  } else if (auto decoded = decode_box(row->value)) {
    box_->row = std::move(*decoded);
    box_->state = State::sound;
    return {};
  } else {
    box_->state = State::no_box_row;
    return {};
  }
  box_->state = State::damaged;
  return {};
}

std::vector<DamagedBlock> BoxWalk::blocks() const {
  std::vector<DamagedBlock> all;
  for (const Part* const part : {&boxes_, &messages_, &post_keys_}) {
    std::ranges::copy(part->cursor.blocks(), std::back_inserter(all));
  }
  return all;
}

}  // namespace starbus::mail
