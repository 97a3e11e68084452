#include "mail/mail.hpp"

#include <cassert>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "mail/shards/shard_row.hpp"

namespace starbus::mail {

MailCounters& MailCounters::operator+=(const MailCounters& more) {
  stored += more.stored;
  refused += more.refused;
  repeated_keys += more.repeated_keys;
  batches += more.batches;
  overflows += more.overflows;
  settled += more.settled;
  trimmed += more.trimmed;
  aged += more.aged;
  purged += more.purged;
  dead_letters += more.dead_letters;
  return *this;
}

Mail::Mail(storage::Store& store, MailShell& shell, MailQuota quota)
    : store_(store),
      shell_(shell),
      quota_(std::move(quota)),
      boxes_(store),
      readers_(store, {[this](const Process& to, Lineage hint, ByteView record) {
                         shell_.say(to, hint, record);
                       },
                       [this](const Process& to) { return shell_.has_room(to); }}),
      sweeper_(store, quota_) {}

// --- shards --------------------------------------------------------------------------------------

storage::Result<Lineage> Mail::lineage(std::uint8_t shard) const {
  const auto row = read_shard_row(store_, shard);
  if (!row) return row.error();
  return row->lineage;
}

storage::Result<> Mail::open(std::uint8_t number, Lineage lineage) {
  thread_.check();
  const auto row = read_shard_row(store_, number);
  if (!row) return row.error();
  const bool noted = row->lineage == lineage;
  auto streams = ShardStreams::read(store_, number, noted);
  if (!streams) return streams.error();
  Shard& opened = shards_[shard_channel(number).id()] =
      Shard{number, lineage, noted, row->totals, std::move(*streams), shell_.wall_ms()};
  if (noted) shell_.opened(number, opened.streams.take_filter());
  return {};
}

void Mail::close(std::uint8_t shard) {
  thread_.check();
  const ChannelId channel = shard_channel(shard).id();
  if (shards_.erase(channel) == 0) return;
  forget_waiting([&](const StreamId& stream) { return stream.channel == channel; });
  readers_.end_shard(shard);
}

/// Drops waiting posts. Requests of readers are answered in their turn.
template <class Pick>
void Mail::forget_waiting(Pick&& pick) {
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    const Post* const post = std::get_if<Post>(&waiting);
    if (!post || !pick(post->stream)) return false;
    assert(waiting_bytes_ >= post->message.size());
    waiting_bytes_ -= post->message.size();
    return true;
  });
}

/// The latest message of a stream in the running batch; 0 if none.
std::uint64_t Mail::under_way(const StreamId& stream) const {
  if (!batch_) return 0;
  const auto found = batch_->streams.find(stream);
  return found == batch_->streams.end() ? 0 : found->second.last;
}

Mail::Shard* Mail::shard_of(const ChannelId& channel) {
  const auto found = shards_.find(channel);
  return found == shards_.end() ? nullptr : &found->second;
}

Mail::Shard* Mail::shard_at(std::uint8_t number) {
  return shard_of(shard_channel(number).id());
}

Totals Mail::totals() const {
  Totals all;
  for (const auto& [channel, shard] : shards_) all += shard.totals;
  return all;
}

// --- what waits ----------------------------------------------------------------------------------

void Mail::post(const StreamId& stream, std::uint64_t seq, ByteView message, bool tombstone) {
  thread_.check();
  if (stopped_ || shard_of(stream.channel) == nullptr) return;
  if (waiting_bytes_ != 0 && waiting_bytes_ + message.size() > kMailWaitingBytes) {
    // The stream is resent from this message on, so its other waiting messages go, too.
    ++counters_.overflows;
    forget_waiting([&](const StreamId& other) { return other == stream; });
    shell_.refused(stream, under_way(stream));
    return;
  }
  waiting_bytes_ += message.size();
  Post post{stream, seq, Bytes(message.begin(), message.end()), tombstone, Errc::bad_bytes, {}};
  if (!tombstone) post.decoded = bus::decode_post(post.message);
  if (post.decoded) post.box = channel_id(post.decoded->head.name);
  waiting_.push_back(std::move(post));
}

void Mail::repeat(const StreamId& stream) {
  const Shard* const shard = shard_of(stream.channel);
  if (shard == nullptr || stopped_) return;
  const auto results = shard->streams.results(store_, stream);
  if (results) shell_.answer(stream, *results);  // otherwise the sender asks again
}

void Mail::open_reader(const ReaderId& id, bus::MailOpen open) {
  thread_.check();
  const ChannelId box = channel_id(open.name);
  const Lineage reply = open.reply;
  const std::uint64_t token = open.token;
  const auto busy = [&](const char* why) { say(id, reply, {token, Errc::busy, why, 0, 0}); };
  const bool served = !stopped_ && shard_at(bus::shard_of(box)) != nullptr;
  if (!served) return busy("the shard is not served here now");
  if (readers_.full(id.process)) return busy("too many readers");
  if (!requests_.add(Opening{id, std::move(open), box}))
    busy("too many requests wait for the disk");
}

void Mail::acknowledge(const ReaderId& id, bus::MailAck ack) {
  thread_.check();
  const bool known = readers_.find(id) != nullptr;
  if (known && (stopped_ || !requests_.add(Acknowledgement{id, std::move(ack)}))) {
    readers_.end(id, Errc::busy,
                 "too many acknowledgements wait for the disk");  // it says them again
  }
}

void Mail::purge(const std::string& name, std::uint64_t upto, Purged done) {
  thread_.check();
  if (stopped_) return done(Error{Errc::closed, "the mail store has stopped"});
  if (!request(Purge{channel_id(name), upto, done})) {
    done(Error{Errc::would_block, "too many requests wait for the disk"});
  }
}

bool Mail::request(Waiting waiting) {
  if (waiting_requests_ >= kMailWaitingRequests) return false;
  ++waiting_requests_;
  waiting_.push_back(std::move(waiting));
  return true;
}

}  // namespace starbus::mail
