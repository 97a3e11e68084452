/// The mail shards of this host, over a store: numbers posts, stores them, answers their senders
/// once they are on the disk, and pushes them to readers. Sans-IO but for the store;
/// docs/guide/mail.md is the contract.
///
/// One batch at a time: posts, new readers and acknowledgements that arrive while the disk works
/// make the next batch. Posts keep their order; requests of readers go between them, one process
/// after the other, so that neither holds up the other. A number is drawn only after everything
/// before it is durable, so a batch that the disk refused leaves no hole. A batch holds the
/// messages, their boxes, and for each sender's stream its new `last` and the results; after a
/// crash all of it is there or none.
///
/// A refusal (a full box, a full disk) is on the disk before it is sent: otherwise a late copy of
/// the message might still be stored. Belongs to one thread; blocks for disk reads.
///
/// The parts: OpenShards, Readers, BoxCache and Sweeper here, and in batch/ the queue, the pipeline
/// and what each kind of item does. This class gives each call to the part that it belongs to.
#pragma once

#include "base/loop_thread.hpp"
#include "mail/batch/mail_pipeline.hpp"
#include "mail/batch/waiting_queue.hpp"
#include "mail/mail_counters.hpp"
#include "mail/mail_shell.hpp"
#include "mail/mail_state.hpp"
#include "mail/quota.hpp"
#include "mail/sweeper.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

class Mail {
 public:
  Mail(storage::Store& store, MailShell& shell, MailQuota quota = {});

  // --- shards ---
  /// The lineage of the shard's last owner; 0 if nothing was ever posted to it here.
  storage::Result<Lineage> lineage(std::uint8_t shard) const;
  /// Opens a shard under this lineage; `opened` follows, at once or when the lineage is on the
  /// disk. Under another lineage than the last one the rows of its streams are void. Open a shard
  /// only after all batches have ended that were begun before its `close`: their changes would not
  /// be counted.
  storage::Result<> open(std::uint8_t shard, Lineage lineage);
  /// Closes the shard: drops waiting posts, and ends its readers with `busy`.
  void close(std::uint8_t shard);
  /// Drops cached rows before they are erased or replaced. The shard is closed, and no batch has
  /// it.
  void forget(std::uint8_t shard) { state_.boxes.forget(shard); }

  // --- posts ---
  void post(const StreamId& stream, std::uint64_t seq, ByteView message, bool tombstone);
  void repeat(const StreamId& stream);

  // --- readers (record_readers.hpp): what each says ---
  void open_reader(const ReaderId& id, bus::MailOpen open);
  void acknowledge(const ReaderId& id, bus::MailAck ack);
  void consumed(const ReaderId& id, std::uint64_t bytes) { state_.readers.consumed(id, bytes); }
  void end_reader(const ReaderId& id) {
    queue_.readers().forget(id);
    state_.readers.close(id);
  }
  void process_gone(const Process& process, bool living) {
    queue_.readers().process_gone(process, living);
    state_.readers.process_gone(process, living);
  }
  void reader_lost(const ChannelId& process) { state_.readers.process_lost(process); }
  void room() { state_.readers.room(); }

  // --- operators ---
  using Purged = mail::Purged;
  /// Erases the messages of a mailbox or log up to a number, for good; its readers go on after it.
  /// Calls `done` with their count once that is on the disk; no_owner (no such mailbox here),
  /// corrupt, would_block (too much waits, or the disk is full), closed.
  void purge(const std::string& name, std::uint64_t upto, Purged done);

  /// Call when a commit of other code finds that the store has stopped.
  void store_stopped(const storage::Error& reason) { pipeline_.store_stopped(reason); }
  /// Call after `stopped`, when the store takes batches again; then open the shards again.
  void go_on() { pipeline_.go_on(); }

  /// Call at the end of each turn: begins a batch, if none is under way and something waits, and
  /// sends to readers. True: call it again soon.
  bool turn();

  bool idle() const { return pipeline_.idle(); }
  /// Numbers of the latest batch begun, and of the latest batch ended; equal between batches.
  std::uint64_t begun() const { return pipeline_.begun(); }
  std::uint64_t ended() const { return pipeline_.ended(); }
  const MailCounters& counters() const { return state_.counters; }
  const Readers& readers() const { return state_.readers; }
  bool is_open(std::uint8_t shard) const { return state_.shards.contains(shard); }
  /// Durable totals of all open shards.
  Totals totals() const { return state_.shards.totals(); }
  const MailQuota& quota() const { return state_.quota; }

 private:
  void sweep();

  const LoopThread thread_;
  MailState state_;
  WaitingQueue queue_;
  MailPipeline pipeline_;
  Sweeper sweeper_;
  std::uint64_t next_sweep_ms_ = 0;
};

}  // namespace starbus::mail
