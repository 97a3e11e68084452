/// Imports shards from other hosts into this store, one after the other (docs/guide/mail.md,
/// "Shards that move"): the other side of ShardExport. A mark on the disk precedes the first row of
/// a shard, so that no host serves a part of it, however the move ends: the next start erases an
/// incomplete shard, and asks the source about a complete one. import_batches.hpp says what it
/// writes.
///
/// Sans-IO but for the store; belongs to the mail's thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.hpp"
#include "bus/core/wire/record_shards.hpp"
#include "mail/limits.hpp"
#include "mail/rows.hpp"
#include "mail/shards/import_batches.hpp"
#include "mail/shards/move_progress.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

class ShardImport {
 public:
  struct Store {  // another one, as the watches show it
    Process process;
    std::string host;
  };
  struct Way {
    std::function<void(const Process& to, Lineage hint, ByteView record)> say;
    std::function<Lineage()> reply_lineage;
    std::function<bool(std::uint8_t shard)> serves;
    /// Whether the shard is this store's, served or not: then its rows here must not be touched.
    std::function<bool(std::uint8_t shard)> keeps;
    /// The limit of the store that so much more would pass; nullopt if there is room.
    std::function<std::optional<PostLimit>(const Totals& more)> limit_passed;
    /// Whether earlier rows of the shard are still being erased: writing there would block commits.
    std::function<bool(std::uint8_t shard)> erases;
    std::function<std::optional<Store>(std::uint8_t shard)> owner;
    std::function<std::optional<Process>(const std::string& host)> store_of;
    /// Called when the shard is ours and on the disk.
    std::function<void(std::uint8_t shard)> taken;
    /// Commits, and calls `done` on the mail's thread.
    std::function<void(storage::Batch batch, storage::Store::Completion done)> commit;
    std::function<std::uint64_t()> token;   // drawn at random
    std::function<std::uint64_t()> now_ms;  // of a monotonic clock
    std::function<void(const std::string& text)> trouble;
  };

  ShardImport(std::string host, Way way) : host_(std::move(host)), way_(std::move(way)) {}

  /// Call at the start, for a shard that was moving when the last store ended.
  void found(std::uint8_t shard, const PlaceRow& row, Lineage lineage);
  /// busy: another move is under way. Moves that the last store did not end come first.
  Result<> begin(const std::vector<std::uint8_t>& shards);
  /// Ends after the present shard, or gives that up, if it can.
  void stop();

  /// The messages of the source, and the clock.
  void rows(const Process& from, bus::ShardRows rows);
  void given(const Process& from, const bus::ShardGiven& given);
  void process_gone(const Process& process, bool living);
  void process_lost(const ChannelId& process);
  void tick();

  /// Call when the store has stopped: nothing can be written any more. The next start goes on.
  void store_stopped();

  const MoveProgress& progress() const { return progress_; }

 private:
  enum class Phase : std::uint8_t { idle, seeks, prepares, copies, writes, asks, keeps, gives_up };

  void next();
  void end_found();
  void show_found();
  void show_nothing();
  void found_ended();
  void seek();
  std::string why_nobody_gives() const;
  void ask();
  bool has_room(const bus::ShardRows& rows);
  void prepare(bus::ShardRows first);
  void write(const bus::ShardRows& rows);
  void keep();
  void give_up(const std::string& why);
  void write_off();
  void refused(const storage::Error& error);
  void fail(const std::string& why);
  void end(MoveProgress::State state, const std::string& why);
  void enter(Phase phase);
  ImportAttempt attempt() const { return {shard_, token_, giver_.host}; }
  template <class Record>
  void say(const Record& record);
  bool copies_from(const ChannelId& process) const {
    return phase_ == Phase::copies && giver_.process.channel() == process;
  }
  storage::Store::Completion then(void (ShardImport::*next_step)());
  bool stops();
  void prepared();
  void written();
  void kept();
  void given_up();

  const LoopThread thread_;
  const std::string host_;
  const Way way_;
  Phase phase_ = Phase::idle;
  std::deque<std::uint8_t> waiting_;
  struct Found {
    PlaceRow row;
    Lineage lineage;
  };
  std::map<std::uint8_t, Found> found_;  // of the last store, to be ended first
  bool ends_found_ = false;              // that is what goes on now
  std::uint8_t shard_ = 0;
  Store giver_;
  std::uint64_t token_ = 0;
  Lineage lineage_;         // of the shard, when all of it is here
  std::uint32_t page_ = 0;  // that is awaited, or being written
  bool last_ = false;
  bool marked_ = false;         // the disk may say that it is on its way
  bus::ShardRows first_;        // the first page, while that is being noted
  std::string why_;             // it is given up
  std::uint64_t attempts_ = 0;  // for this shard
  bool hopeless_ = false;
  bool refused_ = false;        // by the disk: what must be noted is written again
  std::uint64_t since_ms_ = 0;  // in this phase
  MoveProgress progress_;
  Bytes scratch_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::mail
