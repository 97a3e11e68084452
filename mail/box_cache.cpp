#include "mail/box_cache.hpp"

#include <cassert>

namespace starbus::mail {

storage::Result<BoxCache::Entry*> BoxCache::load(std::uint8_t shard, const ChannelId& id) {
  const auto known = boxes_.find(id);
  if (known != boxes_.end()) return &known->second;
  if (const auto old = old_.find(id); old != old_.end()) {
    Entry entry = std::move(old->second);
    old_.erase(old);
    return &boxes_.emplace(id, std::move(entry)).first->second;
  }
  const std::string key = box_key(shard, id);
  const auto stored = store_.get(key);
  if (!stored) return stored.error();
  Entry entry{shard, stored->has_value(), false, {}, 0, 0};
  if (entry.exists) {
    auto row = decode_box(**stored);
    if (!row) return storage::Error(storage::Errc::corrupt, "not the row of a mailbox", key);
    entry.row = std::move(*row);
    entry.durable = entry.row.last;
    entry.gone = entry.row.floor;
  }
  return &boxes_.emplace(id, std::move(entry)).first->second;
}

storage::Result<std::optional<BoxCache::Box>> BoxCache::find(std::uint8_t shard,
                                                             const ChannelId& id) {
  const auto loaded = load(shard, id);
  if (!loaded) return loaded.error();
  Entry& entry = **loaded;
  std::optional<Box> box;
  if (entry.exists) box = Box{&entry.row, entry.durable, entry.gone};
  return box;
}

BoxCache::Box BoxCache::make(const ChannelId& id, std::string_view name, PostTarget kind) {
  Entry& entry = boxes_.at(id);
  entry.exists = true;
  entry.row.kind = kind;
  entry.row.name = name;
  touch(id);
  return {&entry.row, entry.durable, entry.gone};
}

void BoxCache::touch(const ChannelId& id) {
  Entry& entry = boxes_.at(id);
  assert(entry.exists);
  if (!std::exchange(entry.dirty, true)) dirty_.push_back(id);
}

void BoxCache::write(storage::Batch& batch) {
  for (const ChannelId& id : dirty_) {
    const Entry& entry = boxes_.at(id);
    assert(entry.dirty && entry.row.floor <= entry.row.last);
    scratch_.clear();
    encode(entry.row, scratch_);
    batch.put(box_key(entry.shard, id), as_text(scratch_));
  }
}

void BoxCache::forget_some() {
  dirty_.clear();
  if (boxes_.size() < most_) return;
  old_ = std::exchange(boxes_, {});
}

void BoxCache::forget(std::uint8_t shard) {
  for (Generation* const boxes : {&boxes_, &old_}) {
    boost::unordered::erase_if(*boxes, [&](const auto& entry) {
      return entry.second.shard == shard && !entry.second.dirty;
    });
  }
}

void BoxCache::drop() {
  for (const ChannelId& id : dirty_) boxes_.erase(id);
  dirty_.clear();
}

}  // namespace starbus::mail
