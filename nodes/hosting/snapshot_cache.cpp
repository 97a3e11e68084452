#include "nodes/hosting/snapshot_cache.hpp"

namespace starbus::nodes::entities {

entity::DataResult<bus::ByteView> SnapshotCache::get(std::uint64_t id, entity::Root& properties,
                                                     entity::Audience audience, entity::Time now) {
  expire(now);
  properties.seal();
  const Key key{id, audience};
  const entity::Version version = properties.version(audience);
  // Without a watcher the version does not follow the state.
  const bool follows = properties.watched(audience);
  if (const auto found = kept_.find(key); found != kept_.end()) {
    if (follows && found->second.version == version) return bus::ByteView(found->second.state);
    erase(found);
  }
  bus::Bytes state;
  const auto encoded = properties.encode_snapshot(view_of(audience), state);
  if (!encoded) return encoded.error();
  ++encoded_;
  if (!follows || state.size() > kSnapshotKeptBytes) {
    large_ = std::move(state);
    return bus::ByteView(large_);
  }
  state.shrink_to_fit();
  bytes_ += state.size();
  ages_.push_back({now, key, encoded_});
  const auto kept = kept_.emplace(key, Kept{version, std::move(state), encoded_}).first;
  while (bytes_ > kSnapshotCache || ages_.size() > kSnapshotsKept) drop_oldest();
  return bus::ByteView(kept->second.state);
}

void SnapshotCache::expire(entity::Time now) {
  large_ = {};
  while (!ages_.empty() && now - ages_.front().made >= kSnapshotKept) drop_oldest();
}

void SnapshotCache::forget(std::uint64_t id) {
  for (auto at = kept_.lower_bound({id, entity::Audience{}});
       at != kept_.end() && at->first.first == id;) {
    erase(at++);
  }
}

void SnapshotCache::forget(std::uint64_t id, entity::Audience audience) {
  if (kept_.empty()) return;
  if (const auto found = kept_.find({id, audience}); found != kept_.end()) erase(found);
}

void SnapshotCache::erase(std::map<Key, Kept>::iterator at) {
  bytes_ -= at->second.state.size();
  kept_.erase(at);
}

/// Never the newest, when there is too much of them: one alone is within the bounds.
void SnapshotCache::drop_oldest() {
  const Age oldest = ages_.front();
  ages_.pop_front();
  const auto found = kept_.find(oldest.key);
  if (found != kept_.end() && found->second.number == oldest.number) erase(found);
}

}  // namespace starbus::nodes::entities
