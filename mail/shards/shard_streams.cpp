#include "mail/shards/shard_streams.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "bus/core/limits.hpp"
#include "mail/row_keys.hpp"

namespace starbus::mail {

storage::Result<ShardStreams> ShardStreams::read(const storage::Store& store, std::uint8_t shard,
                                                 bool same_lineage) {
  ShardStreams streams;
  streams.shard_ = shard;
  const auto snapshot = store.snapshot();
  if (!snapshot) return snapshot.error();
  for (const char kind : {kStreamRows, kResultsRows}) {
    const std::string prefix = kind_prefix(kind, shard);
    for (std::optional<std::string> from = prefix; from;) {
      auto page = (*snapshot)->scan(*from, prefix_end(prefix));
      if (!page) return page.error();
      // A stream with an unknown `last` could store messages twice: then the shard has no streams.
      if (!page->damage.empty()) return page->damage.front();
      for (const storage::Record& record : page->records) {
        if (!streams.take_row(kind, record, same_lineage)) {
          return storage::Error(storage::Errc::corrupt, "not a row of a stream", record.key);
        }
      }
      from = std::move(page->next);
    }
  }
  return streams;
}

bool ShardStreams::take_row(char kind, const storage::Record& record, bool same_lineage) {
  const auto key = read_stream_key(record.key);
  if (!key) return false;
  if (!same_lineage) {
    void_rows_.push_back(record.key);
    return true;
  }
  if (kind == kStreamRows) {
    const auto row = decode_stream(record.value);
    if (row) filter_.push_back({key->origin, key->lane, row->last});
    return row.has_value();
  }
  std::vector<PostResult> results;
  if (!decode_results(record.value, results)) return false;
  Stream& stream = streams_[{key->origin, key->lane}];
  stream.kept.push_back({key->seq, results.size()});
  stream.results += results.size();
  return true;
}

std::size_t ShardStreams::erase_void(storage::Batch& batch, std::size_t most) const {
  const std::size_t count = std::min(most, void_rows_.size());
  for (std::size_t i = 1; i <= count; ++i) batch.erase(void_rows_[void_rows_.size() - i]);
  return count;
}

void ShardStreams::write(const StreamId& id, Change& change, std::uint64_t now_ms,
                         storage::Batch& batch) const {
  batch.put(stream_key(shard_, id.origin, id.lane), encode(StreamRow{change.last, now_ms}));
  change.trimmed = 0;
  if (change.results.empty()) return;
  batch.put(results_key(shard_, id.origin, id.lane, change.last), encode(change.results));
  // The origin has at most kDurableWindow messages under way, so it knows all earlier results.
  const auto stream = streams_.find({id.origin, id.lane});
  if (stream == streams_.end()) return;
  std::size_t results = stream->second.results + change.results.size();
  for (const Kept& kept : stream->second.kept) {
    if (results - kept.count < bus::kDurableWindow) break;
    results -= kept.count;
    ++change.trimmed;
    batch.erase(results_key(shard_, id.origin, id.lane, kept.seq));
  }
}

void ShardStreams::keep(const StreamId& id, const Change& change) {
  if (change.results.empty()) return;
  Stream& stream = streams_[{id.origin, id.lane}];
  assert(change.trimmed <= stream.kept.size());
  for (std::size_t i = 0; i < change.trimmed; ++i) {
    assert(stream.results >= stream.kept.front().count);
    stream.results -= stream.kept.front().count;
    stream.kept.pop_front();
  }
  stream.kept.push_back({change.last, change.results.size()});
  stream.results += change.results.size();
}

void ShardStreams::erase(const StreamId& id, storage::Batch& batch) const {
  batch.erase(stream_key(shard_, id.origin, id.lane));
  const auto stream = streams_.find({id.origin, id.lane});
  if (stream == streams_.end()) return;
  for (const Kept& kept : stream->second.kept) {
    batch.erase(results_key(shard_, id.origin, id.lane, kept.seq));
  }
}

storage::Result<std::vector<PostResult>> ShardStreams::results(const storage::Store& store,
                                                               const StreamId& id) const {
  const std::string to = results_key(shard_, id.origin, id.lane, ~std::uint64_t{0});
  std::vector<PostResult> results;
  const auto snapshot = store.snapshot();
  if (!snapshot) return snapshot.error();
  std::optional<std::string> from = results_key(shard_, id.origin, id.lane, 0);
  while (from) {
    auto page = (*snapshot)->scan(*from, to);
    if (!page) return page.error();
    if (!page->damage.empty()) return page->damage.front();
    for (const storage::Record& record : page->records) {
      if (!decode_results(record.value, results)) {
        return storage::Error(storage::Errc::corrupt, "not results", record.key);
      }
    }
    from = std::move(page->next);
  }
  return results;
}

}  // namespace starbus::mail
