#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mail/rows.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// The durable state of the senders' streams to one shard: for each its `last`, and the results of
/// its latest messages, since a sender may have missed its answer. Keeps one window of results
/// (kDurableWindow): a sender has no more messages under way. One thread.
class ShardStreams {
 public:
  /// The changes of one batch to one stream.
  struct Change {
    std::uint64_t last = 0;
    std::vector<PostResult> results;
    std::size_t trimmed = 0;  // rows of results that it erases; write says how many
  };

  /// Reads the rows of a shard. Rows of an earlier lineage are void and will be erased.
  static storage::Result<ShardStreams> read(const storage::Store& store, std::uint8_t shard,
                                            bool same_lineage);
  /// `last` of every stream, once.
  std::vector<FilterRow> take_filter() { return std::exchange(filter_, {}); }

  /// Erases at most so many void rows, and returns how many. Call `void_erased` when that is
  /// durable.
  std::size_t erase_void(storage::Batch& batch, std::size_t most) const;
  void void_erased(std::size_t count) { void_rows_.resize(void_rows_.size() - count); }
  bool has_void(std::size_t but) const { return void_rows_.size() > but; }
  /// Writes a change into the batch. Call `keep` when that is durable.
  void write(const StreamId& stream, Change& change, std::uint64_t now_ms,
             storage::Batch& batch) const;
  void keep(const StreamId& stream, const Change& change);
  /// Erases all rows of a stream. Call `drop` when that is durable.
  void erase(const StreamId& stream, storage::Batch& batch) const;
  void drop(const StreamId& stream) { streams_.erase({stream.origin, stream.lane}); }

  /// The kept results of a stream, in order.
  storage::Result<std::vector<PostResult>> results(const storage::Store& store,
                                                   const StreamId& stream) const;

 private:
  struct Source {
    Process origin;
    bus::Lane lane = bus::Lane::call;
    friend auto operator<=>(const Source&, const Source&) = default;
  };
  struct Kept {
    std::uint64_t seq = 0;  // the row's key: of its last message
    std::size_t count = 0;
  };
  struct Stream {
    std::deque<Kept> kept;
    std::size_t results = 0;  // in all of them
  };
  bool take_row(char kind, const storage::Record& record, bool same_lineage);

  std::uint8_t shard_ = 0;
  std::vector<std::string> void_rows_;
  std::vector<FilterRow> filter_;
  std::map<Source, Stream> streams_;
};

}  // namespace starbus::mail
