#include "mail/batch/mail_pipeline.hpp"

#include <cassert>
#include <set>
#include <utility>

namespace starbus::mail {

std::uint64_t MailPipeline::under_way(const StreamId& stream) const {
  if (!batch_) return 0;
  const auto found = batch_->streams.find(stream);
  return found == batch_->streams.end() ? 0 : found->second.last;
}

void MailPipeline::flush() {
  if (batch_ || stopped_) return;
  if (queue_.empty() && !mail_.shards.has_unnoted()) return;
  ++begun_;
  batch_.emplace();
  build(queue_.take(), false);
}

void MailPipeline::build(std::vector<BatchItem> items, bool refusing) {
  batch_ = builder_.build(std::move(items), refusing);
  // Nothing to wait for. The next batch begins after this thread has taken new events: there may be
  // many such batches.
  if (batch_->rows.empty()) return succeed();
  commit();
}

void MailPipeline::commit() {
  assert(batch_ && !batch_->rows.empty());
  ++mail_.counters.batches;
  const auto taken =
      mail_.store.commit(std::exchange(batch_->rows, {}),
                         [this, weak = std::weak_ptr(alive_)](const storage::Result<>& result) {
                           // Runs on the store's thread, which ends before the shell's.
                           mail_.shell.post([this, weak, result] {
                             if (weak.lock()) finished(result);
                           });
                         });
  if (!taken) finished(taken);
}

void MailPipeline::finished(const storage::Result<>& result) {
  thread_.check();
  if (stopped_) return;
  assert(batch_);
  if (result) {
    succeed();
  } else {
    mail_.boxes.drop();
    if (result.error() != storage::Errc::store_full) return stop(result.error());
    if (!batch_->refusing) return build(std::move(batch_->items), true);
    return give_back();  // the next turn tries again
  }
  flush();
}

void MailPipeline::succeed() {
  mail_.boxes.keep(
      [this](const ChannelId& id, const BoxRow& row) { mail_.readers.advance(id, row); });
  const MailBatch done = std::move(*batch_);
  batch_.reset();
  mail_.shards.keep(done.shards);
  open_shards(done.shards.noted);
  keep_streams(done);
  mail_.counters += done.counters;
  for (const RowChange& change : done.changes) {
    mail_.shell.changed(static_cast<std::uint8_t>(change.key[1]), change.kind, change.key,
                        change.end);
  }
  tell(done);
  for (const auto& then : done.then) then();
}

void MailPipeline::open_shards(const std::vector<std::uint8_t>& numbers) {
  for (const std::uint8_t number : numbers) {
    OpenShard* const shard = mail_.shards.at(number);
    if (shard == nullptr) continue;
    shard->noted = true;
    mail_.shell.opened(number, shard->streams.take_filter());
  }
}

void MailPipeline::keep_streams(const MailBatch& done) {
  for (const StreamId& id : done.forgotten) {
    OpenShard* const shard = mail_.shards.of(id.channel);
    if (shard == nullptr || done.streams.contains(id)) continue;
    shard->streams.drop(id);
    mail_.shell.forget(id);
  }
  for (const auto& [id, change] : done.streams) {
    if (OpenShard* const shard = mail_.shards.of(id.channel)) shard->streams.keep(id, change);
  }
}

void MailPipeline::tell(const MailBatch& done) {
  for (const auto& [id, change] : done.streams) {
    if (mail_.shards.of(id.channel) != nullptr) {
      mail_.shell.stored(id, change.last, change.results);
    }
  }
}

/// Not even the refusals could be written: all senders and readers must try again later.
void MailPipeline::give_back() {
  std::set<StreamId> streams;
  queue_.put_back(batch_->items, 0);
  batch_.reset();
  ++mail_.counters.overflows;
  for (const BatchItem& item : queue_.take_all()) {
    if (const auto* const post = std::get_if<WaitingPost>(&item)) {
      streams.insert(post->stream);
    } else if (const auto* const purge = std::get_if<WaitingPurge>(&item)) {
      purge->done(Error{Errc::would_block, "the disk is full"});
    }
  }
  const Error busy{Errc::busy, "disk full"};
  while (const auto request = queue_.readers().take()) {
    if (const auto* const opening = std::get_if<Opening>(&*request)) {
      builder_.readers().refuse(*opening, busy);
    } else {
      mail_.readers.end(std::get<Acknowledgement>(*request).id, errc_of(busy), busy.detail);
    }
  }
  for (const StreamId& stream : streams) mail_.shell.refused(stream, 0);
}

void MailPipeline::store_stopped(const storage::Error& reason) {
  if (!stopped_) stop(reason);
}

void MailPipeline::stop(const storage::Error& reason) {
  stopped_ = true;
  if (batch_) queue_.put_back(batch_->items, 0);
  batch_.reset();
  for (const BatchItem& item : queue_.take_all()) {
    const auto* const purge = std::get_if<WaitingPurge>(&item);
    if (purge) purge->done(Error{Errc::closed, "the mail store has stopped"});
  }
  queue_.readers() = {};
  mail_.shell.stopped(reason);
}

}  // namespace starbus::mail
