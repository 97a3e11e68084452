// What posts do to the boxes of a batch, and how a box is found or made.
#include <utility>

#include "bus/core/limits.hpp"
#include "mail/dead_letters.hpp"
#include "mail/mail.hpp"
#include "mail/store_limit.hpp"

namespace starbus::mail {

/// The error that a sender or reader gets for a disk error of its box alone.
Error Mail::refusal_of(const storage::Error& error) {
  return {error == storage::Errc::corrupt ? Errc::corrupt : Errc::io_error, error.to_string()};
}

void Mail::add(const Post& post, storage::Batch& batch) {
  Shard* const shard = shard_of(post.stream.channel);
  if (shard == nullptr) return;  // given up meanwhile
  // Consecutive messages are mostly of one stream.
  if (batch_->latest == nullptr || batch_->latest->first != post.stream) {
    batch_->latest = &*batch_->streams.try_emplace(post.stream).first;
  }
  ShardStreams::Change& change = batch_->latest->second;
  change.last = post.seq;
  if (post.tombstone) return;
  PostLimit limit = PostLimit::unknown;
  const Result<std::uint64_t> number = store(*shard, post, batch, limit);
  ++(number ? batch_->counters.stored : batch_->counters.refused);
  change.results.push_back(
      number ? PostResult{post.seq, Errc::ok, *number}
             : PostResult{post.seq, errc_of(number.error()), static_cast<std::uint64_t>(limit)});
}

/// Stores one post. Sets `limit` if a limit refuses it.
Result<std::uint64_t> Mail::store(Shard& shard, const Post& post, storage::Batch& batch,
                                  PostLimit& limit) {
  const auto refuse = [&limit](Errc code, PostLimit which) {
    limit = which;
    return Error{code};
  };
  const auto& decoded = post.decoded;
  if (!decoded) return decoded.error();
  const bus::PostHead& head = decoded->head;
  const ChannelId& id = post.box;
  if (bus::shard_of(id) != shard.number)
    return Error{Errc::bad_name, "the mailbox is of another shard"};
  if (is_dead_letters(head.name)) return Error{Errc::denied, "only the store writes dead letters"};
  if (decoded->body.size() > bus::kMaxPostBody) return Error{Errc::too_large};

  const std::string key = head.key.empty() ? "" : post_key(shard.number, id, head.key);
  if (!key.empty()) {
    const auto before = seen_before(key);
    if (!before) return before.error();
    if (*before) {
      const auto other = find_box(shard, id, head.name, head.target);
      if (!other && other.error() == Errc::denied) return other.error();
      ++batch_->counters.repeated_keys;
      return **before;  // also on a full disk: the message was stored
    }
  }
  if (batch_->refusing) return refuse(Errc::store_full, PostLimit::disk);
  auto found = find_box(shard, id, head.name, head.target);
  if (!found) return found.error();
  static const BoxRow kNone;
  const BoxRow& row = *found ? *(*found)->box.row : kNone;
  const std::size_t size = decoded->body.size();
  if (head.target == PostTarget::mailbox && row.count() >= quota_.box_messages) {
    return refuse(Errc::mailbox_full, PostLimit::box_messages);
  }
  if (head.target == PostTarget::mailbox && row.bytes() + size > quota_.box_bytes) {
    return refuse(Errc::mailbox_full, PostLimit::box_bytes);
  }
  // Only an import can reach this. Beyond it the row would be invalid.
  if (row.last >= kMostNumber || row.total + size > kMostNumber) {
    return refuse(Errc::mailbox_full, PostLimit::box_messages);
  }
  const Totals more{*found ? 0U : 1U, 1, size};
  if (const auto passed = limit_passed(quota_, batch_->all, more)) {
    return refuse(Errc::store_full, *passed);
  }
  Place place = claim(std::move(*found), shard, id, head.name, head.target);
  const std::uint64_t number = put_message(place, head.trace, decoded->body, batch);
  if (!key.empty()) batch_->keys[key] = {number, shell_.wall_ms()};
  return number;
}

/// The number of the message first stored with this idempotency key; nullopt if none within the
/// life of a key.
Result<std::optional<std::uint64_t>> Mail::seen_before(const std::string& key) {
  std::optional<std::uint64_t> number;
  if (const auto again = batch_->keys.find(key); again != batch_->keys.end()) {
    number = again->second.number;
    return number;
  }
  const auto stored = store_.get(key);
  if (!stored) return refusal_of(stored.error());
  if (!stored->has_value()) return number;
  const auto row = decode_key(**stored);
  if (!row) return Error{Errc::corrupt};
  if (!Sweeper::outlived(*row, shell_.wall_ms())) number = row->number;
  return number;
}

/// nullopt if there is no such box yet; denied if it is of the other kind.
Result<std::optional<Mail::Place>> Mail::find_box(Shard& shard, const ChannelId& id,
                                                  std::string_view name, PostTarget target) {
  const auto box = boxes_.find(shard.number, id);
  if (!box) return refusal_of(box.error());
  if (!*box) return std::nullopt;
  const BoxRow& row = *(*box)->row;
  const bool other = row.decided() && row.kind != target;
  if (other || row.name != name) return Error{Errc::denied, denial(row.kind)};
  return Place{shard, id, **box};
}

/// Returns the box of find_box with this kind, which its first message or its owner decides. Makes
/// it if it is missing.
Mail::Place Mail::claim(std::optional<Place> found, Shard& shard, const ChannelId& id,
                        std::string_view name, PostTarget kind) {
  if (found && found->box.row->kind == kind) return *found;
  if (!found) {
    ++totals_of(shard).boxes;
    ++batch_->all.boxes;
  }
  return {shard, id, boxes_.make(id, name, kind)};
}

/// The totals of a shard as they will be after this batch.
Totals& Mail::totals_of(const Shard& shard) {
  return batch_->totals.try_emplace(shard.number, shard.totals).first->second;
}

std::uint64_t Mail::put_message(Place& place, ByteView trace, ByteView body,
                                storage::Batch& batch) {
  BoxRow& row = *place.box.row;
  boxes_.touch(place.id);
  ++row.last;
  row.total += body.size();
  scratch_.clear();
  encode(MessageRow{shell_.wall_ms(), row.total, as_text(trace), as_text(body)}, scratch_);
  batch.put(message_key(place.shard.number, place.id, row.last), as_text(scratch_));
  Totals& totals = totals_of(place.shard);
  ++totals.messages;
  totals.bytes += body.size();
  batch_->all.bytes += body.size();
  ++batch_->all.messages;
  if (row.kind == PostTarget::log) trim_log(place, quota_.of_log(row.name), batch);
  return row.last;
}

}  // namespace starbus::mail
