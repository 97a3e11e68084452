#include "busd/mail/mail.hpp"

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>

#include "bus/core/name.hpp"
#include "bus/core/sabotage.hpp"
#include "busd/mail/shard_row.hpp"
#include "storage/limits.hpp"

namespace starbus::bus::busd::mail {
namespace {

std::size_t size_of_message(const auto& waiting) {
  if constexpr (requires { waiting.message; }) return waiting.message.size();
  return 0;
}

/// Of the batch that they make, roughly.
template <class Items>
std::size_t size_of(const Items& items) {
  constexpr std::size_t kAround = 128;  // of a message: key, envelope, its share of the other rows
  std::size_t bytes = 0;
  for (const auto& item : items) {
    bytes += kAround + std::visit([](const auto& one) { return size_of_message(one); }, item);
  }
  return bytes;
}

}  // namespace

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
  const ChannelId channel = shard_channel(shard).id();
  if (shards_.erase(channel) == 0) return;
  forget_waiting([&](const StreamId& stream) { return stream.channel == channel; });
  readers_.end_shard(shard);
}

/// Posts; what readers ask for is answered when its turn comes.
template <class Pick>
void Mail::forget_waiting(Pick&& pick) {
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    const Post* const post = std::get_if<Post>(&waiting);
    if (!post || !pick(post->stream)) return false;
    waiting_bytes_ -= post->message.size();
    return true;
  });
}

/// The latest message of a stream that is on its way to the disk.
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

bool Mail::has_room(std::uint64_t bytes) const {
  if (quota_.total_bytes == 0) return true;
  const std::uint64_t used = totals().bytes;
  return used <= quota_.total_bytes && bytes <= quota_.total_bytes - used;
}

// --- what waits ----------------------------------------------------------------------------------

void Mail::post(const StreamId& stream, std::uint64_t seq, ByteView message, bool tombstone) {
  if (stopped_ || shard_of(stream.channel) == nullptr) return;
  if (waiting_bytes_ != 0 && waiting_bytes_ + message.size() > kWaiting) {
    // From here on the stream comes again, later; so what of it waits must go too.
    ++counters_.overflows;
    forget_waiting([&](const StreamId& other) { return other == stream; });
    shell_.refused(stream, under_way(stream));
    return;
  }
  waiting_bytes_ += message.size();
  Post post{stream, seq, Bytes(message.begin(), message.end()), tombstone, Errc::bad_bytes, {}};
  if (!tombstone) post.decoded = decode_post(post.message);
  if (post.decoded) post.box = channel_id(post.decoded->head.name);
  waiting_.push_back(std::move(post));
}

void Mail::repeat(const StreamId& stream) {
  const Shard* const shard = shard_of(stream.channel);
  if (shard == nullptr || stopped_) return;
  const auto results = shard->streams.results(store_, stream);
  if (results) shell_.answer(stream, *results);  // otherwise the sender asks again
}

void Mail::open_reader(const ReaderId& id, MailOpen open) {
  const ChannelId box = channel_id(open.name);
  const Lineage reply = open.reply;
  const std::uint64_t token = open.token;
  const auto busy = [&](const char* why) { say(id, reply, {token, Errc::busy, why, 0, 0}); };
  const bool served = !stopped_ && shard_at(bus::shard_of(box)) != nullptr;
  if (!served) return busy("not served here now");
  if (readers_.full(id.process)) return busy("too many readers");
  if (!requests_.add(Opening{id, std::move(open), box})) busy("too much waits for the disk");
}

void Mail::acknowledge(const ReaderId& id, MailAck ack) {
  const bool known = readers_.find(id) != nullptr;
  if (known && (stopped_ || !requests_.add(Acknowledgement{id, std::move(ack)}))) {
    readers_.end(id, Errc::busy, "too many acknowledgements wait");  // it says them again
  }
}

void Mail::purge(const std::string& name, std::uint64_t upto, Purged done) {
  if (stopped_) return done(Error{Errc::closed, "the mail store has stopped"});
  if (!request(Purge{channel_id(name), upto, done})) {
    done(Error{Errc::would_block, "too much waits for the disk"});
  }
}

bool Mail::request(Waiting waiting) {
  if (waiting_requests_ >= kWaitingRequests) return false;
  ++waiting_requests_;
  waiting_.push_back(std::move(waiting));
  return true;
}

// --- the pipeline --------------------------------------------------------------------------------

bool Mail::turn() {
  const std::uint64_t now = shell_.wall_ms();
  // The wall clock may be set back: that must not end the sweeping for as long.
  next_sweep_ms_ = std::min(next_sweep_ms_, now + kSweepPause);
  if (!batch_ && !stopped_ && now >= next_sweep_ms_) sweep();
  flush();
  if (stopped_) return false;
  const bool more = readers_.pump();
  return more || (!batch_ && !(waiting_.empty() && requests_.empty()));
}

void Mail::sweep() {
  next_sweep_ms_ = shell_.wall_ms() + kSweepPause;
  std::set<Sweeper::Shard> shards;
  for (const auto& [channel, shard] : shards_) {
    if (shard.noted) shards.insert({shard.number, shard.opened_ms});
  }
  Sweeper::Found found = sweeper_.step(shards, shell_.wall_ms());
  if (!found.empty()) request(std::move(found));
}

void Mail::flush() {
  const auto unnoted = [](const auto& entry) { return !entry.second.noted; };
  if (batch_ || stopped_) return;
  if (waiting_.empty() && requests_.empty() && std::ranges::none_of(shards_, unnoted)) return;
  batch_.emplace();
  ++begun_;
  take_waiting();
  build(false);
}

void Mail::take_waiting() {
  std::size_t bytes = 0;
  std::size_t requests = 0;
  batch_->items.reserve(std::min(waiting_.size() + requests_.count(), kBatchMessages));
  for (bool more = true; more;) {
    more = take_first(bytes);
    more = take_request(requests) || more;
  }
}

bool Mail::take_first(std::size_t& bytes) {
  if (waiting_.empty() || batch_->items.size() >= kBatchMessages) return false;
  const std::size_t size =
      std::visit([](const auto& item) { return size_of_message(item); }, waiting_.front());
  if (bytes != 0 && bytes + size > kBatchBytes) return false;
  bytes += size;
  waiting_bytes_ -= size;
  waiting_requests_ -= std::holds_alternative<Post>(waiting_.front()) ? 0 : 1;
  batch_->items.push_back(std::move(waiting_.front()));
  waiting_.pop_front();
  return true;
}

bool Mail::take_request(std::size_t& requests) {
  if (requests >= kBatchRequests || batch_->items.size() >= kBatchMessages) return false;
  auto request = requests_.take();
  if (!request) return false;
  ++requests;
  std::visit([&](auto& one) { batch_->items.emplace_back(std::move(one)); }, *request);
  return true;
}

/// All but the first `most` wait again, in front.
void Mail::put_back(std::size_t most) {
  const auto wait_again = [this]<class Item>(Item& item) {
    if constexpr (std::is_constructible_v<ReaderRequests::Request, Item>) {
      requests_.put_back(std::move(item));
    } else {
      waiting_bytes_ += size_of_message(item);
      waiting_requests_ += std::is_same_v<Item, Post> ? 0 : 1;
      waiting_.push_front(std::move(item));
    }
  };
  while (batch_->items.size() > most) {
    std::visit(wait_again, batch_->items.back());
    batch_->items.pop_back();
  }
}

/// The batch of what was taken. `refusing`: no message is stored, and that is what is noted.
void Mail::build(bool refusing) {
  if (refusing) put_back(kRefusedMessages);
  Running fresh;
  fresh.items = std::move(batch_->items);
  fresh.refusing = refusing;
  if (quota_.total_bytes != 0) fresh.bytes = totals().bytes;
  batch_ = std::move(fresh);
  storage::Batch batch;
  batch.reserve(size_of(batch_->items), 2 * batch_->items.size());
  add_items(batch);
  boxes_.write(batch);
  for (const auto& [key, row] : batch_->keys) batch.put(key, encode(row));
  storage::Batch apart;
  storage::Batch& streams = sabotaged(Sabotage::mail_last_apart) ? apart : batch;
  for (auto& [id, change] : batch_->streams) {
    shard_of(id.channel)->streams.write(id, change, shell_.wall_ms(), streams);
  }
  write_shards(batch);
  note_changes(batch);
  if (refusing && !batch.fits_reserve() && batch_->items.size() > 1) {
    boxes_.drop();
    put_back(batch_->items.size() / 2);
    return build(true);
  }
  // Dead letters are no bookkeeping: what they hold may be large.
  const bool bookkeeping = batch_->streams.empty() && batch_->items.size() <= kRefusedMessages;
  if (refusing || (bookkeeping && batch.fits_reserve())) batch.use_reserve();
  if (sabotaged(Sabotage::mail_ack_before_sync)) tell(*batch_);
  if (!apart.empty()) {
    (void)store_.commit(std::exchange(batch, std::move(apart)), [](const storage::Result<>&) {});
  }
  // Nothing to wait for. What else waits has its turn when this thread has heard what is new: of
  // such batches there may be many.
  if (batch.empty()) return succeed();
  commit(std::move(batch));
}

/// What has no room waits for the next batch; the first always has.
void Mail::add_items(storage::Batch& batch) {
  for (std::size_t i = 0; i < batch_->items.size(); ++i) {
    if (!may_erase_more() || batch.bytes() > kBatchHeavy) return put_back(i);
    std::visit([&](auto& item) { add(item, batch); }, batch_->items[i]);
    if (batch_->put_off) return put_back(i);
  }
}

/// A batch erases few ranges.
bool Mail::may_erase_more() const {
  return batch_->ranges + kRangesOfOne <= storage::kMaxBatchRanges;
}

void Mail::write_shards(storage::Batch& batch) {
  std::size_t void_rows = kVoidRows;
  for (auto& [channel, shard] : shards_) {
    const auto totals = batch_->totals.find(shard.number);
    if (shard.noted && totals == batch_->totals.end()) continue;
    const bool changed = totals != batch_->totals.end();
    const std::size_t erased = shard.noted ? 0 : shard.streams.erase_void(batch, void_rows);
    void_rows -= erased;
    if (erased != 0) batch_->voided[shard.number] = erased;
    // Of no lineage while some are left: after a crash they must not count again.
    const bool is_void = !shard.noted && shard.streams.has_void(erased);
    batch.put(shard_key(shard.number), encode(ShardRow{is_void ? Lineage{} : shard.lineage,
                                                       changed ? totals->second : shard.totals}));
    if (!shard.noted && !is_void) batch_->noted.push_back(shard.number);
  }
}

/// The second byte of every key is its shard.
void Mail::note_changes(const storage::Batch& batch) {
  batch.for_each([this](storage::Batch::Kind kind, std::string_view key, std::string_view value) {
    if (kMovingKinds.find(key[0]) == std::string_view::npos) return;
    if (!shell_.watched(static_cast<std::uint8_t>(key[1]))) return;
    const bool range = kind == storage::Batch::Kind::erase_range;
    batch_->changes.push_back({kind, std::string(key), std::string(range ? value : "")});
  });
}

void Mail::commit(storage::Batch batch) {
  ++counters_.batches;
  const auto taken = store_.commit(
      std::move(batch), [this, weak = std::weak_ptr(alive_)](const storage::Result<>& result) {
        // On the store's thread, which the shell's outlives.
        shell_.post([this, weak, result] {
          if (weak.lock()) finished(result);
        });
      });
  if (!taken) finished(taken);
}

void Mail::finished(const storage::Result<>& result) {
  if (stopped_) return;
  if (result) {
    succeed();
  } else {
    boxes_.drop();
    if (result.error() != storage::Errc::store_full) return stop(result.error());
    if (!batch_->refusing) return build(true);
    return give_back();  // the next turn tries again
  }
  flush();
}

void Mail::succeed() {
  boxes_.keep([this](const ChannelId& id, const BoxRow& row) { readers_.advance(id, row); });
  const Running done = std::move(*batch_);
  batch_.reset();
  for (const auto& [number, totals] : done.totals) {
    if (Shard* const shard = shard_at(number)) shard->totals = totals;
  }
  for (const auto& [number, rows] : done.voided) {
    if (Shard* const shard = shard_at(number)) shard->streams.void_erased(rows);
  }
  for (const std::uint8_t number : done.noted) {
    Shard* const shard = shard_at(number);
    if (shard == nullptr) continue;
    shard->noted = true;
    shell_.opened(number, shard->streams.take_filter());
  }
  for (const StreamId& id : done.forgotten) {
    Shard* const shard = shard_of(id.channel);
    if (shard == nullptr || done.streams.contains(id)) continue;
    shard->streams.drop(id);
    shell_.forget(id);
  }
  for (const auto& [id, change] : done.streams) {
    if (Shard* const shard = shard_of(id.channel)) shard->streams.keep(id, change);
  }
  counters_ += done.counters;
  for (const Change& change : done.changes) {
    shell_.changed(static_cast<std::uint8_t>(change.key[1]), change.kind, change.key, change.end);
  }
  tell(done);
  for (const auto& then : done.then) then();
}

void Mail::tell(const Running& done) {
  for (const auto& [id, change] : done.streams) {
    if (shard_of(id.channel) != nullptr) shell_.stored(id, change.last, change.results);
  }
}

/// Not even that it is full could be noted: all that waits must come again, later.
void Mail::give_back() {
  std::set<StreamId> streams;
  put_back(0);
  batch_.reset();
  const auto items = std::exchange(waiting_, {});
  waiting_bytes_ = 0;
  waiting_requests_ = 0;
  ++counters_.overflows;
  for (const Waiting& waiting : items) {
    if (const Post* const post = std::get_if<Post>(&waiting)) {
      streams.insert(post->stream);
    } else if (const auto* const purge = std::get_if<Purge>(&waiting)) {
      purge->done(Error{Errc::would_block, "the disk is full"});
    }
  }
  const Error busy{Errc::busy, "disk full"};
  while (const auto request = requests_.take()) {
    if (const auto* const opening = std::get_if<Opening>(&*request)) {
      refuse(*opening, busy);
    } else {
      readers_.end(std::get<Acknowledgement>(*request).id, busy.code, busy.detail);
    }
  }
  for (const StreamId& stream : streams) shell_.refused(stream, 0);
}

void Mail::store_stopped(const storage::Error& reason) {
  if (!stopped_) stop(reason);
}

void Mail::stop(const storage::Error& reason) {
  stopped_ = true;
  if (batch_) put_back(0);
  batch_.reset();
  for (const Waiting& waiting : std::exchange(waiting_, {})) {
    const auto* const purge = std::get_if<Purge>(&waiting);
    if (purge) purge->done(Error{Errc::closed, "the mail store has stopped"});
  }
  waiting_bytes_ = 0;
  waiting_requests_ = 0;
  requests_ = {};
  shell_.stopped(reason);
}

}  // namespace starbus::bus::busd::mail
