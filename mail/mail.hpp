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
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/loop_thread.hpp"
#include "mail/box_cache.hpp"
#include "mail/limits.hpp"
#include "mail/quota.hpp"
#include "mail/reader_requests.hpp"
#include "mail/readers.hpp"
#include "mail/rows.hpp"
#include "mail/shards/shard_streams.hpp"
#include "mail/sweeper.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// What Mail needs from its owner.
class MailShell {
 public:
  /// See DurableOwner::stored, answer, refused.
  virtual void stored(const StreamId& stream, std::uint64_t last,
                      std::span<const PostResult> results) = 0;
  virtual void answer(const StreamId& stream, std::span<const PostResult> kept) = 0;
  virtual void refused(const StreamId& stream, std::uint64_t last) = 0;
  virtual void forget(const StreamId& stream) = 0;
  /// The shard may be served: its lineage is on the disk. `filter` has the streams of its senders.
  virtual void opened(std::uint8_t shard, const std::vector<FilterRow>& filter) = 0;
  /// See Readers::Way.
  virtual void say(const Process& reader, Lineage hint, ByteView record) = 0;
  virtual bool has_room(const Process& reader) = 0;
  /// Whether to call `changed` for a shard: with each change of a batch that was begun since, after
  /// it is on the disk; as Batch::for_each.
  virtual bool watched(std::uint8_t shard) = 0;
  virtual void changed(std::uint8_t shard, storage::Batch::Kind kind, std::string_view key,
                       std::string_view end) = 0;
  /// The store has stopped, or the outcome of its batch is unknown: mail accepts and acknowledges
  /// nothing more, and has dropped all that waited.
  virtual void stopped(const storage::Error& reason) = 0;
  /// Runs `action` on the mail's thread, later. From any thread.
  virtual void post(std::function<void()> action) = 0;
  virtual std::uint64_t wall_ms() = 0;

 protected:
  ~MailShell() = default;
};

struct MailCounters {
  std::uint64_t stored = 0, refused = 0, repeated_keys = 0, batches = 0, overflows = 0;
  std::uint64_t settled = 0;       // messages acknowledged by readers
  std::uint64_t trimmed = 0;       // by the retention of logs
  std::uint64_t aged = 0;          // by the age limits
  std::uint64_t purged = 0;        // by an operator
  std::uint64_t dead_letters = 0;  // kept as such

  MailCounters& operator+=(const MailCounters& more);
};

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
  void forget(std::uint8_t shard) { boxes_.forget(shard); }

  // --- posts ---
  void post(const StreamId& stream, std::uint64_t seq, ByteView message, bool tombstone);
  void repeat(const StreamId& stream);

  // --- readers (record_readers.hpp): what each says ---
  void open_reader(const ReaderId& id, bus::MailOpen open);
  void acknowledge(const ReaderId& id, bus::MailAck ack);
  void consumed(const ReaderId& id, std::uint64_t bytes) { readers_.consumed(id, bytes); }
  void end_reader(const ReaderId& id) {
    requests_.forget(id);
    readers_.close(id);
  }
  void process_gone(const Process& process, bool living) {
    requests_.process_gone(process, living);
    readers_.process_gone(process, living);
  }
  void reader_lost(const ChannelId& process) { readers_.process_lost(process); }
  void room() { readers_.room(); }

  // --- operators ---
  using Purged = std::function<void(Result<std::uint64_t> messages)>;
  /// Erases the messages of a mailbox or log up to a number, for good; its readers go on after it.
  /// Calls `done` with their count once that is on the disk; no_owner (no such mailbox here),
  /// corrupt, would_block (too much waits, or the disk is full), closed.
  void purge(const std::string& name, std::uint64_t upto, Purged done);

  /// Call when a commit of other code finds that the store has stopped.
  void store_stopped(const storage::Error& reason);
  /// Call after `stopped`, when the store takes batches again; then open the shards again.
  void go_on() { stopped_ = false; }

  /// Call at the end of each turn: begins a batch, if none is under way and something waits, and
  /// sends to readers. True: call it again soon.
  bool turn();

  bool idle() const { return !batch_; }
  /// Numbers of the latest batch begun, and of the latest batch ended; equal between batches.
  std::uint64_t begun() const { return begun_; }
  std::uint64_t ended() const { return batch_ ? begun_ - 1 : begun_; }
  const MailCounters& counters() const { return counters_; }
  const Readers& readers() const { return readers_; }
  bool is_open(std::uint8_t shard) const { return shards_.contains(shard_channel(shard).id()); }
  /// Durable totals of all open shards.
  Totals totals() const;
  const MailQuota& quota() const { return quota_; }

 private:
  struct Shard {
    std::uint8_t number = 0;
    Lineage lineage;
    bool noted = false;  // the lineage is on the disk
    Totals totals;       // durable
    ShardStreams streams;
    std::uint64_t opened_ms = 0;
  };
  /// A waiting post. Decoded on arrival, while the disk works, and not when its batch is built.
  struct Post {
    StreamId stream;
    std::uint64_t seq = 0;
    Bytes message;
    bool tombstone = false;
    Result<bus::DecodedPost> decoded;  // views into `message`
    ChannelId box;
  };
  struct Purge {
    ChannelId box;
    std::uint64_t upto = 0;
    Purged done;
  };
  struct Change {
    storage::Batch::Kind kind;
    std::string key, end;
  };
  using Waiting = std::variant<Post, Opening, Acknowledgement, Sweeper::Found, Purge>;
  struct Running {
    std::vector<Waiting> items;
    std::map<StreamId, ShardStreams::Change> streams;
    std::pair<const StreamId, ShardStreams::Change>* latest = nullptr;  // of these
    std::map<std::uint8_t, Totals> totals;       // of the shards that it changes, as they will be
    std::vector<std::uint8_t> noted;             // shards whose lineage it puts
    std::map<std::uint8_t, std::size_t> voided;  // rows of an earlier one that it erases, of shards
    std::vector<StreamId> forgotten;             // unless it also changes them
    std::map<std::string, KeyRow> keys;          // idempotency keys that it puts
    std::vector<std::function<void()>> then;     // what readers are told once it is durable
    std::vector<Change> changes;                 // to shards that are watched
    std::size_t ranges = 0;
    std::optional<Process> put_off;  // the latest item has found no room, a reader's: it waits
    MailCounters counters;           // what it will have done
    Totals all;                      // of the store, with what it stores
    bool refusing = false;           // the disk is full: nothing is stored, and that is noted
  };
  /// A box of the batch, and where it lies.
  struct Place {
    Shard& shard;
    ChannelId id;
    BoxCache::Box box;
  };

  Shard* shard_at(std::uint8_t number);
  Shard* shard_of(const ChannelId& channel);
  template <class Pick>
  void forget_waiting(Pick&& pick);
  std::uint64_t under_way(const StreamId& stream) const;
  bool request(Waiting waiting);
  bool take_first(std::size_t& bytes);
  bool take_request(std::size_t& requests);

  // --- the pipeline: mail_pipeline.cpp ---
  void flush();
  void sweep();
  void take_waiting();
  void put_back(std::size_t most);
  void build(bool refusing);
  void add_items(storage::Batch& batch);
  void write_shards(storage::Batch& batch);
  void note_changes(const storage::Batch& batch);
  void commit(storage::Batch batch);
  void finished(const storage::Result<>& result);
  void succeed();
  void tell(const Running& done);
  void give_back();
  void stop(const storage::Error& reason);

  // --- what a batch does: mail_batch_*.cpp ---
  static Error refusal_of(const storage::Error& error);
  void add(const Post& post, storage::Batch& batch);
  void add(Opening& opening, storage::Batch& batch);
  void add(const Acknowledgement& acknowledgement, storage::Batch& batch);
  void add(const Sweeper::Found& found, storage::Batch& batch);
  void age(const Sweeper::Aged& aged, storage::Batch& batch);
  bool may_erase_more() const;
  void add(const Purge& purge, storage::Batch& batch);
  Result<std::uint64_t> store(Shard& shard, const Post& post, storage::Batch& batch,
                              PostLimit& limit);
  Result<std::optional<std::uint64_t>> seen_before(const std::string& key);
  Result<std::optional<Place>> find_box(Shard& shard, const ChannelId& id, std::string_view name,
                                        PostTarget target);
  Place claim(std::optional<Place> found, Shard& shard, const ChannelId& id, std::string_view name,
              PostTarget kind);
  std::uint64_t put_message(Place& place, ByteView trace, ByteView body, storage::Batch& batch);
  Totals& totals_of(const Shard& shard);
  void settle(Place& place, std::uint64_t upto, storage::Batch& batch);
  void trim_log(Place& place, const LogQuota& quota, storage::Batch& batch);
  std::uint64_t first_within(const Place& place, std::uint64_t bytes) const;
  std::optional<MessageRow> message(const Place& place, std::uint64_t number,
                                    std::string& value) const;
  Result<> bury(Place& place, std::uint64_t number, const std::string& reason,
                storage::Batch& batch);
  void refuse(const Opening& opening, const Error& reason);
  void say(const ReaderId& id, Lineage hint, const bus::MailOpened& opened);

  const LoopThread thread_;
  storage::Store& store_;
  MailShell& shell_;
  MailQuota quota_;
  BoxCache boxes_;
  Readers readers_;
  Sweeper sweeper_;
  std::uint64_t next_sweep_ms_ = 0;
  std::unordered_map<ChannelId, Shard> shards_;  // that are open
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;     // of posts
  std::size_t waiting_requests_ = 0;  // in waiting_, and no posts
  ReaderRequests requests_;
  bool requests_first_ = false;  // the next batch begins with one that was put off
  std::optional<Running> batch_;
  std::uint64_t begun_ = 0;  // batches
  bool stopped_ = false;
  Bytes scratch_;
  MailCounters counters_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::mail
