/// Exports shards of this store to other hosts (docs/guide/mail.md, "Shards that move").
///
/// Gives a shard only to the store of the host that an operator of this host has offered it to
/// (ShardOffers). Sends it as a snapshot, page by page, while the shard is served; then the rows
/// that batches have changed meanwhile, until few are left; then freezes the shard: no host serves
/// it while the last changes go. When the target has them on its disk, this store writes a mark:
/// that is the moment of the move. Before the mark the shard is ours, whatever fails, and is served
/// again; after it the shard is the target's, which asks until it is told so.
///
/// Sans-IO but for the store; belongs to the mail's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/loop_thread.hpp"
#include "bus/core/wire/record_shards.hpp"
#include "mail/limits.hpp"
#include "mail/rows.hpp"
#include "mail/shards/changed_rows.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

class ShardExport {
 public:
  struct Way {
    std::function<void(const Process& to, Lineage hint, ByteView record)> say;
    std::function<bool(std::uint8_t shard)> serves;
    /// The present store of a host, as the watches show it: only a store is given anything.
    std::function<std::optional<Process>(const std::string& host)> store_of;
    /// Whether an operator has offered the shard to that host.
    std::function<bool(std::uint8_t shard, const std::string& host)> offered;
    /// Stops serving the shard; a batch that is under way may still change it.
    std::function<void(std::uint8_t shard)> freeze;
    /// The number of the latest batch; see `settled`.
    std::function<std::uint64_t()> begun;
    /// Serves the shard again.
    std::function<void(std::uint8_t shard)> thaw;
    /// Puts the mark, and calls `marked` when that is on the disk, or never will be.
    std::function<void(std::uint8_t shard, const PlaceRow& row)> mark;
    std::function<std::uint64_t()> now_ms;  // of a monotonic clock
    std::function<void(const std::string& text)> trouble;
  };

  ShardExport(const storage::Store& store, Way way) : store_(store), way_(std::move(way)) {}

  // --- requests of the target ---
  void take(const Process& from, const bus::ShardTake& take);
  void more(const Process& from, const bus::ShardMore& more);
  /// Call when a process and its earlier incarnations have ended, or when a record to it was lost.
  void process_gone(const Process& process, bool living);
  void process_lost(const ChannelId& process);

  // --- events of the shard here ---
  /// Whether to call `changed` for the shard.
  bool watches(std::uint8_t shard) const { return exports_.contains(shard); }
  void changed(std::uint8_t shard, storage::Batch::Kind kind, std::string_view key,
               std::string_view end);
  /// Call when the shard is not ours any more for another reason (a lost lease).
  void closed(std::uint8_t shard);
  /// Call when all batches up to this number have ended. Batches that begin after `watches` is true
  /// are reported by `changed`, and batches that ended before a snapshot are in it. So a copy, and
  /// the last changes, begin only after the batch that was under way has ended.
  void settled(std::uint64_t batch);
  void marked(std::uint8_t shard, const storage::Result<>& result);
  void tick();
  std::size_t count() const { return exports_.size(); }

 private:
  enum class Phase : std::uint8_t { waits, copies, follows, freezes, ends, marks };
  struct Export {
    Process to;
    bus::ShardTake request;
    Phase phase = Phase::waits;
    std::uint64_t barrier = 0;  // while it waits or freezes: a batch that must end first
    std::unique_ptr<storage::Snapshot> snapshot;  // while it copies
    std::size_t kind = 0;                         // of kMovingKinds
    std::string next;                             // the first key of the next page; empty: of kind
    ChangedRows sending;
    ChangedRows changed;  // since `sending` was taken
    std::uint64_t rounds = 0;
    std::uint32_t page = 0;  // sent last
    bool last_sent = false;
    std::uint64_t heard_ms = 0;
    bool undecided = false;  // the mark may be on the disk, or not
  };
  using Entry = std::map<std::uint8_t, Export>::iterator;

  bool is_store(const Process& from, const std::string& host) const;
  void asked(const Process& from, const bus::ShardTake& take);
  void go_on(Entry entry);
  void mark(Entry entry);
  template <class Act>
  void for_each(Act&& act);
  void lose(Entry entry, const std::string& why);
  storage::Result<bus::ShardRows> page(std::uint8_t shard, Export& exporting);
  storage::Result<bool> copy(std::uint8_t shard, Export& exporting, bus::ShardRows& rows);
  storage::Result<> follow(Export& exporting, bus::ShardRows& rows);
  void end(Entry entry, Errc reason, const std::string& detail);
  void refuse(const Process& to, const bus::ShardTake& take, Errc reason,
              const std::string& detail);
  template <class Record>
  void say(const Process& to, Lineage hint, const Record& record);

  const LoopThread thread_;
  const storage::Store& store_;
  const Way way_;
  std::map<std::uint8_t, Export> exports_;
  Bytes scratch_;
};

}  // namespace starbus::mail
