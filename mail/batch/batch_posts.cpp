#include "mail/batch/batch_posts.hpp"

#include <string>
#include <utility>
#include <vector>

#include "bus/core/limits.hpp"
#include "mail/batch/post_keys.hpp"
#include "mail/dead_letters.hpp"
#include "mail/store_limit.hpp"

namespace starbus::mail {

void BatchPosts::add(const WaitingPost& post, MailBatch& batch) {
  OpenShard* const shard = mail_.shards.of(post.stream.channel);
  if (shard == nullptr) return;  // given up meanwhile
  // Consecutive messages are mostly of one stream.
  if (batch.latest == nullptr || batch.latest->first != post.stream) {
    batch.latest = &*batch.streams.try_emplace(post.stream).first;
  }
  ShardStreams::Change& change = batch.latest->second;
  change.last = post.seq;
  if (post.tombstone) return;
  PostLimit limit = PostLimit::unknown;
  const Result<std::uint64_t> number = store(*shard, post, batch, limit);
  ++(number ? batch.counters.stored : batch.counters.refused);
  change.results.push_back(
      number ? PostResult{post.seq, Errc::ok, *number}
             : PostResult{post.seq, errc_of(number.error()), static_cast<std::uint64_t>(limit)});
}

/// Stores one post. Sets `limit` if a limit refuses it.
Result<std::uint64_t> BatchPosts::store(OpenShard& shard, const WaitingPost& post, MailBatch& batch,
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

  std::vector<std::string> keys;  // both rows of its idempotency key, if it has one
  if (!head.key.empty()) {
    keys = {post_key(shard.number, id, key_of_sender(post.stream.origin, head.key)),
            post_key(shard.number, id, key_of_content(head.key, decoded->body))};
    auto before = seen_before(mail_, batch, keys[0]);
    if (before && !*before) before = seen_before(mail_, batch, keys[1]);
    if (before && !*before) {  // perhaps an earlier version stored it
      before = seen_before(mail_, batch, post_key(shard.number, id, head.key));
    }
    if (!before) return before.error();
    if (*before) {
      const auto other = boxes_.find(shard, id, head.name, head.target);
      if (!other && other.error() == Errc::denied) return other.error();
      ++batch.counters.repeated_keys;
      return **before;  // also on a full disk: the message was stored
    }
  }
  if (batch.refusing) return refuse(Errc::store_full, PostLimit::disk);
  auto found = boxes_.find(shard, id, head.name, head.target);
  if (!found) return found.error();
  static const BoxRow kNone;
  const std::size_t size = decoded->body.size();
  const PostLimit full = limit_of(head, *found ? *(*found)->box.row : kNone, size);
  if (full != PostLimit::unknown) return refuse(Errc::mailbox_full, full);
  const Totals more{*found ? 0U : 1U, 1, size};
  if (const auto passed = limit_passed(mail_.quota, batch.all, more)) {
    return refuse(Errc::store_full, *passed);
  }
  BatchBoxes::Place place =
      boxes_.claim(std::move(*found), shard, id, head.name, head.target, batch);
  const std::uint64_t number = boxes_.put_message(place, head.trace, decoded->body, batch);
  for (const std::string& key : keys) batch.keys[key] = {number, mail_.shell.wall_ms()};
  return number;
}

/// The limit of its box that a message of so many bytes would pass; unknown if there is room.
PostLimit BatchPosts::limit_of(const bus::PostHead& head, const BoxRow& row,
                               std::size_t size) const {
  const bool mailbox = head.target == PostTarget::mailbox;
  if (mailbox && row.count() >= mail_.quota.box_messages) return PostLimit::box_messages;
  if (mailbox && row.bytes() + size > mail_.quota.box_bytes) return PostLimit::box_bytes;
  // Only an import can reach this. Beyond it the row would be invalid.
  const bool most = row.last >= kMostNumber || row.total + size > kMostNumber;
  return most ? PostLimit::box_messages : PostLimit::unknown;
}

}  // namespace starbus::mail
