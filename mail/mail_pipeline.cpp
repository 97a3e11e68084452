// The pipeline: waiting items become a batch, the batch goes to the disk, and its outcome is sent.
#include <algorithm>
#include <cassert>
#include <set>
#include <type_traits>
#include <utility>

#include "mail/mail.hpp"
#include "mail/shards/shard_row.hpp"
#include "storage/limits.hpp"

namespace starbus::mail {
namespace {

std::size_t size_of_message(const auto& waiting) {
  if constexpr (requires { waiting.message; }) return waiting.message.size();
  return 0;
}

/// Rough size of the batch of these items, in bytes.
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

bool Mail::turn() {
  thread_.check();
  const std::uint64_t now = shell_.wall_ms();
  // If the wall clock is set back, sweeping must not pause for as long.
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
  batch_ = Running{};
  ++begun_;
  take_waiting();
  build(false);
}

void Mail::take_waiting() {
  std::size_t bytes = 0;
  std::size_t requests = 0;
  batch_->items.reserve(std::min(waiting_.size() + requests_.count(), kBatchMessages));
  // After a post there would be no room for it again, as long as there are posts.
  if (std::exchange(requests_first_, false)) (void)take_request(requests);
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
  assert(waiting_bytes_ >= size);
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

/// Puts all items but the first `most` back to the front of the queues.
void Mail::put_back(std::size_t most) {
  assert(batch_);
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

/// Builds and commits the batch of the items that were taken. `refusing`: stores no message, and
/// notes the refusals instead.
void Mail::build(bool refusing) {
  if (refusing) put_back(kRefusedMessages);
  Running fresh;
  fresh.items = std::move(batch_->items);
  fresh.refusing = refusing;
  fresh.all = totals();
  batch_ = std::move(fresh);
  storage::Batch batch;
  batch.reserve(size_of(batch_->items), 2 * batch_->items.size());
  add_items(batch);
  boxes_.write(batch);
  for (const auto& [key, row] : batch_->keys) batch.put(key, encode(row));
  for (auto& [id, change] : batch_->streams) {
    shard_of(id.channel)->streams.write(id, change, shell_.wall_ms(), batch);
  }
  write_shards(batch);
  note_changes(batch);
  if (refusing && !batch.fits_reserve() && batch_->items.size() > 1) {
    boxes_.drop();
    put_back(batch_->items.size() / 2);
    return build(true);
  }
  // Dead letters are not bookkeeping: their bodies may be large.
  const bool bookkeeping = batch_->streams.empty() && batch_->items.size() <= kRefusedMessages;
  if (refusing || (bookkeeping && batch.fits_reserve())) batch.use_reserve();
  // Nothing to wait for. The next batch begins after this thread has taken new events: there may be
  // many such batches.
  if (batch.empty()) return succeed();
  commit(std::move(batch));
}

/// Items without room wait for the next batch; the first item always has room.
void Mail::add_items(storage::Batch& batch) {
  for (std::size_t i = 0; i < batch_->items.size(); ++i) {
    if (!may_erase_more() || batch.bytes() > kBatchHeavy) return put_back(i);
    std::visit([&](auto& item) { add(item, batch); }, batch_->items[i]);
    if (!batch_->put_off) continue;
    put_back(i);
    requests_.give_turn(*batch_->put_off);
    requests_first_ = true;
    return;
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
    // No lineage while void rows are left: after a crash they must not become valid again.
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
  assert(batch_ && !batch.empty());
  ++counters_.batches;
  const auto taken = store_.commit(
      std::move(batch), [this, weak = std::weak_ptr(alive_)](const storage::Result<>& result) {
        // Runs on the store's thread, which ends before the shell's.
        shell_.post([this, weak, result] {
          if (weak.lock()) finished(result);
        });
      });
  if (!taken) finished(taken);
}

void Mail::finished(const storage::Result<>& result) {
  thread_.check();
  if (stopped_) return;
  assert(batch_);
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

/// Not even the refusals could be written: all senders and readers must try again later.
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
      readers_.end(std::get<Acknowledgement>(*request).id, errc_of(busy), busy.detail);
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

}  // namespace starbus::mail
